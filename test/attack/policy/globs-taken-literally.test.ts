import { expect, it } from "vitest";
import { compilePermissions, evaluateAccess } from "../../../manifests/mod.ts";

const state = (allow: readonly string[], deny: readonly string[], path: string): string =>
  evaluateAccess(
    [
      {
        name: "grant",
        permissions: compilePermissions({ read: { allow, deny } }, { base: "/p", workspace: "/w" }),
        unnamed: "none",
        otherwise: "prompt",
      },
    ],
    {
      kind: "read",
      path,
    },
  ).state;

// A host that compares patterns as text denies only a file named "*.env".
it.each([
  ["*.env", "/w/prod.env"],
  ["**/.env", "/w/a/b/.env"],
  ["**/secret/**", "/w/a/secret/b/c"],
  [".git/*", "/w/.git/config"],
  ["s?cret", "/w/secret"],
  ["**/*.pem", "/w/keys/a.pem"],
])("attack: the denial %j is read as a file name, and %s can be read [C4.globs] [PA3.deny]", (pattern, path) => {
  expect(state(["$workspace"], [`$workspace/${pattern}`], path)).toBe("denied");
  expect(state(["$workspace"], [`$workspace/${pattern}`], "/w/other.txt")).toBe("granted");
});

it("attack: a file whose name is a pattern passes as what the pattern allows [C4.globs]", () => {
  expect(state(["$workspace/*.txt"], [], "/w/*.txt")).toBe("granted");
  expect(state(["$workspace/a.txt"], [], "/w/*.txt")).toBe("prompt");
  expect(state(["$workspace/a.txt"], [], "/w/?.txt")).toBe("prompt");
  expect(state(["$workspace"], ["$workspace/a*"], "/w/a")).toBe("denied");
});
