import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  compilePermissions,
  evaluateAccess,
  withoutRevoked,
  type AccessQuery,
  type AccessState,
  type PermissionLayer,
  type Permissions,
} from "../../../manifests/mod.ts";
import "../../support/seed.ts";

const BASES = { base: "/p", workspace: "/w" };

function layer(permissions: Permissions, options: Partial<PermissionLayer> = {}): PermissionLayer {
  return { name: "grant", permissions: compilePermissions(permissions, BASES), unnamed: "none", otherwise: "prompt", ...options };
}

function read(path: string): AccessQuery {
  return { kind: "read", path };
}

describe("evaluateAccess()", () => {
  it("lets a deny win over a more specific allow, in every layer [PA3.deny]", () => {
    const inner = layer({ read: { allow: ["/w", "/w/secret/open"], deny: ["/w/secret"] } }, { name: "manifest" });
    const outer = layer({ read: true });
    expect(evaluateAccess([outer, inner], read("/w/secret/open"))).toEqual({
      state: "denied",
      decidedBy: { layer: "manifest", state: "denied", rule: "/w/secret" },
      layers: [
        { layer: "grant", state: "granted", rule: "true" },
        { layer: "manifest", state: "denied", rule: "/w/secret" },
      ],
    });
    expect(evaluateAccess([layer({ read: { allow: true, deny: true } })], read("/w")).state).toBe("denied");
  });

  it("takes the minimum over layers, and names the first layer that has it [PA3.layers]", () => {
    const layers = [
      layer({ read: ["/w"] }, { name: "a" }),
      layer({}, { name: "b" }),
      layer({}, { name: "c", otherwise: "denied" }),
      layer({}, { name: "d", otherwise: "denied" }),
    ];
    const decided = (count: number): string => {
      const { state, decidedBy } = evaluateAccess(layers.slice(0, count), read("/w/x"));
      return `${decidedBy.layer} ${state}`;
    };
    expect([1, 2, 3, 4].map(decided)).toEqual(["a granted", "b prompt", "c denied", "c denied"]);
  });

  it("treats a kind without an entry as none, and as transparent in policy layers [PA3.unnamed]", () => {
    expect(evaluateAccess([layer({ write: true })], read("/w")).state).toBe("prompt");
    expect(evaluateAccess([layer({ write: true }, { unnamed: "transparent" })], read("/w")).state).toBe("granted");
    expect(evaluateAccess([layer({ read: [] }, { unnamed: "transparent" })], read("/w")).state).toBe("prompt");
    expect(evaluateAccess([layer({ read: false }, { unnamed: "transparent" })], read("/w")).state).toBe("prompt");
    const denyOnly = layer({ read: { deny: ["/etc"] } }, { unnamed: "transparent" });
    expect([evaluateAccess([denyOnly], read("/w")).state, evaluateAccess([denyOnly], read("/etc/hosts")).state]).toEqual([
      "granted",
      "denied",
    ]);
    expect(evaluateAccess([layer({ read: { deny: ["/etc"] } })], read("/w")).state).toBe("prompt");
  });

  it("marks the grant of a folder that contains a denied path as partial [PA5]", () => {
    const grant = layer({ read: { allow: ["/w"], deny: ["/w/a/secret", "/w/**/*.key", "/w/b/*/x"] } });
    const parts = ["/w", "/w/a", "/w/b", "/w/b/c", "/w/a/other.txt", "/w/c/d"].map((path) => [
      path,
      evaluateAccess([grant], read(path)).partial ?? false,
    ]);
    // The second pattern may match anywhere below /w; only the bridge knows whether a path is a file.
    expect(parts.map(([, partial]) => partial)).toEqual([true, true, true, true, true, true]);
    const plain = layer({ read: { allow: ["/w"], deny: ["/w/a/secret", "/w/b/*/x"] } });
    const plainParts = ["/w", "/w/a", "/w/a/secretary", "/w/b", "/w/b/c", "/w/b/c/y", "/w/c"].map(
      (path) => evaluateAccess([plain], read(path)).partial ?? false,
    );
    expect(plainParts).toEqual([true, true, false, true, true, false, false]);
  });

  it("marks the result as partial if any layer is [PA5]", () => {
    const layers = [layer({ read: { allow: true, deny: ["/w/x"] } }), layer({ read: ["/w"] })];
    expect(evaluateAccess(layers, read("/w"))).toMatchObject({ state: "granted", partial: true });
    expect(evaluateAccess([...layers, layer({}, { name: "none" })], read("/w"))).not.toHaveProperty("partial");
  });

  it("answers a query without a name for the whole kind [PA3.kind]", () => {
    const answer = (permissions: Permissions): string => {
      const { state, partial } = evaluateAccess([layer(permissions)], { kind: "read" });
      return partial ? `${state} in part` : state;
    };
    expect(answer({ read: true })).toBe("granted");
    expect(answer({ read: ["/"] })).toBe("prompt");
    expect(answer({ read: { allow: true, deny: ["/etc"] } })).toBe("granted in part");
    expect(answer({ read: { deny: true } })).toBe("denied");
  });

  it("denies ignored items and marks them [PA1.ignore]", () => {
    const grant = layer({ env: { allow: true, ignore: ["AWS_*"] } });
    expect(evaluateAccess([grant], { kind: "env", name: "AWS_KEY" }).decidedBy).toEqual({
      layer: "grant",
      state: "denied",
      rule: "AWS_*",
      ignored: true,
    });
    expect(evaluateAccess([grant], { kind: "env", name: "HOME" }).state).toBe("granted");
  });

  it.each<[Permissions, AccessQuery, AccessState]>([
    [{ env: ["APP_*"] }, { kind: "env", name: "APP_X" }, "granted"],
    [{ env: ["APP_*"] }, { kind: "env", name: "APP" }, "prompt"],
    [{ env: ["APP"] }, { kind: "env", name: "APP_X" }, "prompt"],
    [{ env: ["APP"] }, { kind: "env", name: "app" }, "prompt"],
    [{ env: ["*"] }, { kind: "env", name: "ANY" }, "granted"],
    [{ env: [{ name: "KEY", secret: true, hosts: ["a.com"] }] }, { kind: "env", name: "KEY" }, "granted"],
    [{ sys: ["hostname"] }, { kind: "sys", name: "hostname" }, "granted"],
    [{ sys: ["hostname"] }, { kind: "sys", name: "uid" }, "prompt"],
    [{ sys: ["username"] }, { kind: "sys", name: "userInfo" }, "granted"],
    [{ sys: ["userInfo"] }, { kind: "sys", name: "username" }, "granted"],
    [{ run: ["git"] }, { kind: "run", name: "git" }, "granted"],
    [{ run: ["git"] }, { kind: "run", name: "gitx" }, "prompt"],
    [{ run: ["git"] }, { kind: "run", name: "/usr/bin/git" }, "prompt"],
    [{ run: ["/bin/./git"] }, { kind: "run", name: "/usr/../bin/git" }, "granted"],
    [{ run: ["/bin"] }, { kind: "run", name: "/bin/git" }, "prompt"],
    [{ run: ["./tool"] }, { kind: "run", name: "/p/tool" }, "granted"],
    [{ run: true }, { kind: "run", name: "bin/git" }, "denied"],
    [{ run: { allow: true, deny: ["git"] } }, { kind: "run", name: "/usr/bin/GIT.exe" }, "denied"],
    [{ run: { allow: true, deny: ["git"] } }, { kind: "run", name: "git.old" }, "denied"],
    [{ run: { allow: true, deny: ["git"] } }, { kind: "run", name: "/usr/bin/gitk" }, "granted"],
    [{ run: { allow: true, deny: ["/bin"] } }, { kind: "run", name: "/bin/git" }, "denied"],
    [{ run: { allow: true, deny: ["/bin"] } }, { kind: "run", name: "/binx/git" }, "granted"],
    [{ run: { allow: true, deny: ["/bin"] } }, { kind: "run", name: "git" }, "denied"],
    [{ run: { allow: true, deny: ["$data/x"] } }, { kind: "run", name: "/bin/git" }, "denied"],
    [{ ffi: ["lib"] }, { kind: "ffi", path: "/p/lib/x.so" }, "granted"],
    [{ ffi: ["/lib"] }, { kind: "ffi", path: "/libx" }, "prompt"],
    [{ ffi: { allow: ["/lib"], deny: ["/lib/x"] } }, { kind: "ffi", path: "/lib/x/y" }, "denied"],
    [{ import: ["unix:/a"] }, { kind: "import", name: "unix:/a" }, "granted"],
    [{ tools: ["grep"] }, { kind: "tools", name: "words.grep" }, "granted"],
    [{ tools: ["words.grep"] }, { kind: "tools", name: "words.grep" }, "granted"],
    [{ tools: ["words.grep"] }, { kind: "tools", name: "other.grep" }, "prompt"],
    [{ tools: ["words.*"] }, { kind: "tools", name: "words.grep" }, "granted"],
    [{ tools: ["words.*"] }, { kind: "tools", name: "wordsx.grep" }, "prompt"],
    [{ mcp: ["github"] }, { kind: "mcp", name: "github" }, "granted"],
    [{ import: ["jsr.io"] }, { kind: "import", name: "JSR.io:443" }, "granted"],
    [{ import: ["jsr.io:443"] }, { kind: "import", name: "jsr.io" }, "prompt"],
    [{ read: ["/w"] }, { kind: "write", path: "/w" }, "prompt"],
  ])("%j answers %j: %s [PA2]", (permissions, query, state) => {
    expect(evaluateAccess([layer(permissions)], query).state).toBe(state);
  });

  it.each<[string, AccessQuery]>([
    ["a relative path", read("w/x")],
    ["an empty path", read("")],
    ["a path with a NUL", read("/w/a\0")],
    ["a path with a lone surrogate", read("/w/\udc00")],
    ["an endless path", read(`/${"w/".repeat(4_000)}`)],
    ["an invalid host", { kind: "net", host: "a b" }],
  ])("denies %s, whatever is granted [PA4.lexical]", (_, query) => {
    expect(evaluateAccess([layer({ read: true, net: true })], query).state).toBe("denied");
  });

  it("resolves dots before it compares [PA4.lexical] [C4.dotdot]", () => {
    expect(evaluateAccess([layer({ read: ["/w"] })], read("/w/../etc")).state).toBe("prompt");
    expect(evaluateAccess([layer({ read: { allow: true, deny: ["/etc"] } })], read("/w/../etc")).state).toBe("denied");
  });

  it.each<[Permissions, string, string]>([
    [{ write: true, run: ["./tool"] }, "/p/tool", "denied"],
    [{ write: true, run: ["./tool"] }, "/p/tools", "granted"],
    [{ write: true, run: ["./tool"] }, "/p", "granted in part"],
    [{ write: ["/p"], run: ["git"] }, "/p/bin/git", "denied"],
    [{ write: ["/p"], run: ["git"] }, "/p/git/x", "granted"],
    [{ write: { allow: true, deny: true }, run: ["git"] }, "/p/git", "denied"],
    [{ run: ["./tool"] }, "/p/tool", "denied"],
    [{ write: true, run: true }, "/p/tool", "granted"],
  ])("%j: writing %s is %s, because a runnable program cannot be written [PA9.run]", (permissions, path, expected) => {
    const { state, partial } = evaluateAccess([layer(permissions)], { kind: "write", path });
    expect(partial ? `${state} in part` : state).toBe(expected);
  });

  it("denies everything without a layer", () => {
    expect(evaluateAccess([], read("/w"))).toMatchObject({ state: "denied" });
  });

  it("allows nothing and denies everything for a token without a folder [PA2.token]", () => {
    expect(evaluateAccess([layer({ read: ["$data"] })], read("/data")).state).toBe("prompt");
    expect(evaluateAccess([layer({ read: { allow: true, deny: ["$data"] } })], read("/w")).state).toBe("denied");
  });
});

describe("withoutRevoked()", () => {
  const grant = layer({ read: ["/a", "/a/b", "/c"], env: true, net: { allow: ["*.x.com", "y.com:80"], deny: ["z.com"] } });
  const state = (revoked: readonly AccessQuery[], query: AccessQuery): AccessState =>
    evaluateAccess(withoutRevoked([grant], revoked), query).state;

  it.each<[AccessQuery, AccessQuery, AccessState]>([
    [read("/a/b/c"), read("/a/x"), "prompt"],
    [read("/a/b/c"), read("/c"), "granted"],
    [read("/c/../a/x"), read("/a/x"), "prompt"],
    [read("/a/x"), read("/a/b"), "granted"],
    [read("/"), read("/a"), "granted"],
    [{ kind: "read" }, read("/c"), "prompt"],
    [{ kind: "read" }, { kind: "env", name: "A" }, "granted"],
    [{ kind: "env", name: "A" }, { kind: "env", name: "A" }, "granted"],
    [{ kind: "env" }, { kind: "env", name: "A" }, "prompt"],
    [{ kind: "net", host: "A.x.com" }, { kind: "net", host: "x.com" }, "prompt"],
    [{ kind: "net", host: "y.com" }, { kind: "net", host: "y.com", port: 80 }, "granted"],
    [{ kind: "net" }, { kind: "net", host: "z.com" }, "denied"],
    [{ kind: "net", host: "no host" }, { kind: "net", host: "y.com", port: 80 }, "granted"],
  ])("after revoking %j, %j is %s [PA7.revoke]", (revoked, query, expected) => {
    expect(state([revoked], query)).toBe(expected);
  });
});

describe("evaluateAccess(), for all permission sets", () => {
  const item = fc
    .array(fc.constantFrom("a", "b", "c", "*", "**", "a?"), { maxLength: 4 })
    .map((parts) => `/${parts.join("/")}`)
    .filter((text) => (text.match(/\*\*/g) ?? []).length <= 2);
  const literal = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
  const items = fc.oneof(fc.boolean(), fc.array(item, { maxLength: 4 }));
  const literals = fc.oneof(fc.boolean(), fc.array(literal, { maxLength: 4 }));
  const entry = fc.record({ allow: items, deny: items }, { requiredKeys: [] });
  const anyLayer = fc
    .record({ read: entry }, { requiredKeys: [] })
    .chain((permissions) =>
      fc
        .record({ unnamed: fc.constantFrom("none", "transparent" as const), otherwise: fc.constantFrom("prompt", "denied" as const) })
        .map((options) => layer(permissions, options as Partial<PermissionLayer>)),
    );
  const query = fc.oneof(literal.map(read), fc.constant<AccessQuery>({ kind: "read" }));
  const RANK = { denied: 0, prompt: 1, granted: 2 };

  it("never allows more after adding a deny [PA3.deny]", () => {
    fc.assert(
      fc.property(fc.array(anyLayer, { maxLength: 3 }), items, entry, query, (layers, deny, { allow, deny: before }, asked) => {
        const base = layer({ read: { ...(allow !== undefined && { allow }), ...(before !== undefined && { deny: before }) } });
        const both =
          before === true || deny === true ? true : [...(Array.isArray(before) ? before : []), ...(Array.isArray(deny) ? deny : [])];
        const narrowed = layer({ read: { ...(allow !== undefined && { allow }), deny: both } });
        expect(RANK[evaluateAccess([...layers, narrowed], asked).state]).toBeLessThanOrEqual(
          RANK[evaluateAccess([...layers, base], asked).state],
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it("never allows more after adding a layer, in any order [PA3.layers]", () => {
    fc.assert(
      fc.property(fc.array(anyLayer, { minLength: 1, maxLength: 3 }), anyLayer, query, (layers, added, asked) => {
        const before = evaluateAccess(layers, asked).state;
        const after = evaluateAccess([...layers, added], asked).state;
        expect(RANK[after]).toBeLessThanOrEqual(RANK[before]);
        expect(evaluateAccess([added, ...layers.toReversed()], asked).state).toBe(after);
      }),
      { numRuns: 1_000 },
    );
  });

  it("agrees with a simple model on literal paths [PA3] [PA5]", () => {
    const under = (path: string, list: boolean | string[]): boolean =>
      list === true || (Array.isArray(list) && list.some((prefix) => prefix === "/" || path === prefix || path.startsWith(`${prefix}/`)));
    fc.assert(
      fc.property(literals, literals, literal, (allow, deny, path) => {
        const expected = under(path, deny) ? "denied" : under(path, allow) ? "granted" : "prompt";
        const verdict = evaluateAccess([layer({ read: { allow, deny } })], read(path));
        expect(verdict.state).toBe(expected);
        const holdsDenied =
          Array.isArray(deny) && deny.some((denied) => denied !== path && denied.startsWith(path === "/" ? "/" : `${path}/`));
        expect(verdict.partial ?? false).toBe(expected === "granted" && holdsDenied);
      }),
      { numRuns: 2_000 },
    );
  });
});
