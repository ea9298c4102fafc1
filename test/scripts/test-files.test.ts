import { globSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { NOT_ABOUT_DENO, THE_SAME } from "../../scripts/steps/deno.ts";
import config, { ALONE } from "../../vitest.config.ts";
import { REPOSITORY, sourceFiles } from "../support/source-files.ts";

/** Every alternative of the innermost braces, until none are left: `a/{b,c}` is `a/b` and `a/c`. */
function alternatives(glob: string): readonly string[] {
  const braces = /\{([^{}]*)\}/.exec(glob);
  if (braces === null) return [glob];
  const [whole, list = ""] = braces;
  return list.split(",").flatMap((choice) => alternatives(glob.replace(whole, () => choice)));
}

function withoutFiles(globs: readonly string[]): readonly string[] {
  return globs.flatMap(alternatives).filter((glob) => !globSync(glob, { cwd: REPOSITORY }).some((path) => path.endsWith(".test.ts")));
}

describe("globs of test files", () => {
  // A glob that matches nothing is left behind by a move: the file that it meant runs elsewhere, or twice.
  it.each([
    ["vitest.config.ts, ALONE", ALONE],
    ["scripts/steps/deno.ts, NOT_ABOUT_DENO", NOT_ABOUT_DENO.map(({ files }) => files)],
    ["scripts/steps/deno.ts, THE_SAME", THE_SAME.map(({ files }) => files)],
  ])("match files in every alternative: %s", (_name, globs) => {
    expect(withoutFiles(globs)).toEqual([]);
  });

  it("are reported if one alternative matches nothing", () => {
    expect(withoutFiles(["test/{docs,gone}.test.ts", "test/support/**"])).toEqual(["test/gone.test.ts", "test/support/**"]);
  });
});

describe("failed tests", () => {
  it("are not retried by the configuration or its projects", () => {
    const { retry, projects = [] } = config.test ?? {};
    expect(retry).toBe(0);
    expect(JSON.stringify(projects)).not.toContain('"retry"');
  });

  it("are not retried by a test's own options or by a script", () => {
    const own = "test/scripts/test-files.test.ts";
    const asking = sourceFiles(["test", "scripts"]).filter(({ path, text }) => path !== own && /--retry|\bretry:/.test(text));
    // A field of server-sent events, in a test of them.
    expect(asking.map(({ path }) => path)).toEqual(["test/host/doors/http/events.test.ts"]);
  });
});
