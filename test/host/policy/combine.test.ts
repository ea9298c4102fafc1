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
  it("keeps an address that was granted beside everything, whatever the order [PA4]", () => {
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
