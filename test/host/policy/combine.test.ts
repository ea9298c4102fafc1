import { describe, expect, it } from "vitest";
import { intersectCompiled, uniteCompiled } from "../../../host/policy/combine.ts";
import { compilePermissions, type CompiledPermissions, evaluateAddress, type Permissions } from "../../../manifests/mod.ts";

const BASES = { base: "/" };
const compile = (net: Exclude<Permissions["net"], undefined>): CompiledPermissions => compilePermissions({ net }, BASES);

function stateOf(permissions: CompiledPermissions): string {
  const layer = { name: "user grant", permissions, unnamed: "none", otherwise: "prompt" } as const;
  return evaluateAddress([layer], { kind: "net", host: "intranet.test", port: 80 }, "10.0.0.1").state;
}

describe("uniteCompiled()", () => {
  it('keeps an address granted beside "everything", in any order [PA4]', () => {
    const [all, one] = [compile(true), compile(["10.0.0.1"])];
    expect(stateOf(uniteCompiled([all, one], BASES))).toBe("granted");
    expect(stateOf(uniteCompiled([one, all], BASES))).toBe("granted");
    expect(stateOf(uniteCompiled([all, one, all], BASES))).toBe("granted");
    expect(stateOf(uniteCompiled([all, compile(["10.0.0.2"])], BASES))).toBe("prompt");
  });
});

describe("intersectCompiled()", () => {
  it("keeps an address only if both sides name it [PA4]", () => {
    const both = uniteCompiled([compile(true), compile(["10.0.0.1"])], BASES);
    expect(stateOf(intersectCompiled(both, compile(true)))).toBe("prompt");
    expect(stateOf(intersectCompiled(both, both))).toBe("granted");
  });
});

describe("secrets in combined sets", () => {
  const SECRET: Permissions = { env: [{ name: "KEY", secret: true, hosts: ["a.test", "b.test"] }] };
  const bindings = (set: CompiledPermissions): readonly (readonly [string, readonly boolean[]])[] => {
    const { allow = [], listed = [] } = set.entries.get("env") ?? {};
    return (allow === true ? listed : allow).flatMap(({ secret }) =>
      secret === undefined
        ? []
        : [[secret.name, ["a.test", "b.test", "c.test"].map((host) => secret.permits({ host, port: 443 }))] as const],
    );
  };
  const compiled = (permissions: Permissions): CompiledPermissions => compilePermissions(permissions, BASES);

  it.each<[string, Permissions]>([
    ["the plain name", { env: ["KEY"] }],
    ["all names", { env: true }],
    ["other names", { env: ["OTHER"] }],
  ])("remain secrets beside %s [C7.placeholder]", (_, other) => {
    expect(bindings(uniteCompiled([compiled(SECRET), compiled(other)], BASES))).toEqual([["KEY", [true, true, false]]]);
  });

  it("remain secrets if both sides allow everything, whichever side names them [C7.placeholder]", () => {
    const all = compiled({ env: true });
    const beside = uniteCompiled([all, compiled(SECRET)], BASES);
    for (const set of [intersectCompiled(all, beside), intersectCompiled(beside, all)]) {
      expect(bindings(set)).toEqual([["KEY", [true, true, false]]]);
    }
  });

  it("may be sent only to hosts that both sides permit [C7.bound]", () => {
    const other = compiled({ env: [{ name: "KEY", secret: true, hosts: ["b.test", "c.test"] }] });
    expect(bindings(intersectCompiled(compiled(SECRET), other))).toEqual([["KEY", [false, true, false]]]);
    expect(bindings(intersectCompiled(compiled({ env: true }), compiled(SECRET)))).toEqual([["KEY", [true, true, false]]]);
    expect(bindings(intersectCompiled(compiled({ env: ["KEY"] }), compiled(SECRET)))).toEqual([["KEY", [true, true, false]]]);
  });
});
