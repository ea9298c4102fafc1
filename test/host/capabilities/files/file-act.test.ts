import { describe, expect, it } from "vitest";
import { reportModified } from "../../../../host/capabilities/files/file-act.ts";

describe("reportModified()", () => {
  it.each([
    ["/work/a/b", "/work", "a/b"],
    ["/work", "/work", "/work"],
    ["/workshop/a", "/work", "/workshop/a"],
    ["/a/b", "/", "a/b"],
    ["/", "/", "/"],
  ])("reports %j in the workspace %j as %j [X1]", (path, cwd, expected) => {
    const modified: string[] = [];
    reportModified({ path }, { cwd, modified: (written) => modified.push(written) });
    expect(modified).toEqual([expected]);
  });
});
