import { describe, expect, it } from "vitest";
import { portable, relative } from "../../../../host/plugins/consent/entry.ts";

describe("relative()", () => {
  it.each([
    ["/work/plugins/words", "/work", "plugins/words"],
    ["/plugins/words", "/", "plugins/words"],
    ["/elsewhere/words", "/work", "/elsewhere/words"],
    ["/workshop/words", "/work", "/workshop/words"],
  ])("writes %j below %j as %j, so that a lock is valid wherever the project is [H8]", (path, root, expected) => {
    expect(relative(path, root)).toBe(expected);
  });
});

describe("portable()", () => {
  it("makes the paths of the project relative, and no others [H8]", () => {
    const permissions = { read: ["/work", "/work/docs", "/workshop", "$data"], net: [{ host: "a.example", paths: ["/v1"] }] };
    expect(portable(permissions, "/work")).toEqual({ ...permissions, read: [".", "./docs", "/workshop", "$data"] });
    expect(portable(permissions, "/")).toEqual(permissions);
  });
});
