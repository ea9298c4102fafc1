import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  compilePermissions,
  coversPermissions,
  evaluateAccess,
  isWider,
  permissionsDiff,
  type Permissions,
} from "../../../manifests/mod.ts";
import "../../support/seed.ts";

describe("coversPermissions()", () => {
  it.each<[Permissions, Permissions, readonly string[]]>([
    [{ read: true }, { read: ["/etc"] }, []],
    [{ read: ["/etc"] }, { read: true }, ["read: everything"]],
    [{}, { read: [] }, []],
    [{}, { read: false }, []],
    [{}, { read: ["a"], net: ["b.com"] }, ["read: a", "net: b.com"]],
    [{ read: ["$workspace"] }, { read: ["$workspace/docs", "$workspace/**/*.md"] }, []],
    [{ read: ["$workspace"] }, { read: ["$workspaces".slice(0, -1), "$data", "/work"] }, ["read: $data", "read: /work"]],
    [{ read: ["docs"] }, { read: ["./docs/x", "$plugin/docs", "docs/../src", "../docs"] }, ["read: docs/../src", "read: ../docs"]],
    [
      { read: ["src/*.ts"] },
      { read: ["src/*.ts", "src/a.ts", "src/a.js", "src/b/a.ts", "src"] },
      ["read: src/a.js", "read: src/b/a.ts", "read: src"],
    ],
    [{ read: ["a/*/**"] }, { read: ["a/b/c", "a/b", "a"] }, ["read: a"]],
    [{ read: { allow: ["/w"], deny: ["/w/x"] } }, { read: ["/w", "/w/x", "/w/x/y"] }, ["read: /w/x", "read: /w/x/y"]],
    [{ read: { allow: true, deny: true } }, { read: ["/w"] }, ["read: /w"]],
    [
      { net: ["*.a.com", "b.com:80"] },
      { net: ["a.com", "x.a.com:443", "*.y.a.com", "b.com:80", "b.com", "c.com"] },
      ["net: b.com", "net: c.com"],
    ],
    [{ net: ["10.0.0.0/8"] }, { net: ["10.1.0.0/16", "10.1.1.1", "0.0.0.0/0", "[::ffff:10.0.0.1]"] }, ["net: 0.0.0.0/0"]],
    [
      { net: [{ host: "a.com", methods: ["GET", "HEAD"], paths: ["/v1"] }] },
      { net: [{ host: "a.com", methods: ["GET"], paths: ["/v1/x"] }, { host: "a.com", methods: ["POST"] }, "a.com"] },
      ["net: a.com POST", "net: a.com"],
    ],
    [{ env: ["APP_*"] }, { env: ["APP_X", "APP_Y*", "OTHER"] }, ["env: OTHER"]],
    [
      { env: [{ name: "K", secret: true, hosts: ["*.a.com"] }] },
      { env: [{ name: "K", secret: true, hosts: ["x.a.com"] }, "K"] },
      ["env: K"],
    ],
    [{ env: ["K"] }, { env: [{ name: "K", secret: true, hosts: ["x.com"] }] }, []],
    [{ tools: ["words.*", "grep"] }, { tools: ["words.outline", "other.grep", "notes.add"] }, ["tools: notes.add"]],
  ])("%j over %j leaves %j [M3.narrower] [PA3.parent]", (outer, inner, expected) => {
    expect(coversPermissions(outer, inner)).toEqual(expected);
  });

  it("uses real folders if given [M3.narrower]", () => {
    expect(coversPermissions({ read: ["/w"] }, { read: ["$workspace/a"] }, { base: "/p", workspace: "/w" })).toEqual([]);
    expect(coversPermissions({ read: ["/w"] }, { read: ["$workspace/a"] })).toEqual(["read: $workspace/a"]);
  });
});

describe("permissionsDiff() and isWider()", () => {
  it.each<[Permissions, Permissions, readonly string[]]>([
    [{ read: ["a"] }, { read: ["a", "a/b"] }, []],
    [{ read: ["a"] }, { read: ["b"] }, ["+ read: b"]],
    [{ read: { allow: ["a"], deny: ["a/x", "a/y"] } }, { read: { allow: ["a"], deny: ["a/y"] } }, ["- deny read: a/x"]],
    [{ read: { allow: ["a"], deny: ["a/x"] } }, { read: { allow: ["a"], deny: ["a"] } }, []],
    [{ env: { allow: true, ignore: ["A"] } }, { env: true }, ["- deny env: A"]],
    [{ read: ["*.json"] }, { read: ["a.json"] }, ["+ read: a.json"]],
    [{ net: true }, {}, []],
    [{}, { write: true }, ["+ write: everything"]],
  ])("reports the change from %j to %j as %j [H6.wider]", (before, after, expected) => {
    expect(permissionsDiff(before, after)).toEqual(expected);
    expect(isWider(before, after)).toBe(expected.length > 0);
  });

  it("reports every change that allows more [H6.wider]", () => {
    const item = fc
      .array(fc.constantFrom("a", "b", "*", "**"), { minLength: 1, maxLength: 3 })
      .map((parts) => `/${parts.join("/")}`)
      .filter((text) => (text.match(/\*\*/g) ?? []).length <= 2);
    const set = fc.record({ read: fc.record({ allow: fc.array(item, { maxLength: 3 }), deny: fc.array(item, { maxLength: 2 }) }) });
    const path = fc.array(fc.constantFrom("a", "b"), { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
    const allows = (permissions: Permissions, asked: string): boolean =>
      evaluateAccess([{ name: "l", permissions: compilePermissions(permissions, { base: "/" }), unnamed: "none", otherwise: "denied" }], {
        kind: "read",
        path: asked,
      }).state === "granted";
    fc.assert(
      fc.property(set, set, fc.array(path, { minLength: 5, maxLength: 5 }), (before, after, paths) => {
        fc.pre(!isWider(before, after));
        expect(paths.filter((asked) => allows(after, asked) && !allows(before, asked))).toEqual([]);
      }),
      { numRuns: 500, maxSkipsPerRun: 1_000 },
    );
  });
});
