import { expect, it } from "vitest";
import { checkItem, compilePermissions, evaluateAccess } from "../../../manifests/mod.ts";

it.each([
  "~",
  "~/x",
  "!secret",
  "a\\b",
  "$workspace/../x",
  "$unknown/x",
  "a/[bc]",
  "{a,b}",
  "**x",
  "a/**/b/**/c/**",
  "*/../x",
  "",
  "a\0b",
  "\ud800",
  "../".repeat(40),
])("attack: the path item %j, which other hosts read as another place, is refused [PA2.items] [C4.unenforceable]", (item) => {
  expect(checkItem("read", item)).toEqual(expect.any(String));
});

it.each([
  "http://a.test",
  "a.test/x",
  "a.test:0x50",
  "a.test:99999",
  "a.test:",
  "*",
  "**.test",
  "a.*.test",
  "*a.test",
  "user@a.test",
  "[::1",
  "::1:80:90",
  "10.0.0.0/33",
  "a test",
  "a.test\n",
  "%61.test",
])("attack: the net item %j, which other hosts read as another address, is refused [PA2.net]", (item) => {
  expect(checkItem("net", item)).toEqual(expect.any(String));
});

it("attack: an item whose folder is unknown here allows nothing, and denies everything as a denial [PA2.bases]", () => {
  const decide = (permissions: object): string =>
    evaluateAccess([{ name: "x", permissions: compilePermissions(permissions, { base: "/p" }), unnamed: "none", otherwise: "prompt" }], {
      kind: "read",
      path: "/home/me/x",
    }).state;
  expect(decide({ read: ["$home"] })).toBe("prompt");
  expect(decide({ read: { allow: true, deny: ["$home"] } })).toBe("denied");
});
