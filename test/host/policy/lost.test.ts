import { describe, expect, it } from "vitest";
import type { AllowDecision, DenyDecision } from "../../../host/call/call.ts";
import { uniteCompiled } from "../../../host/policy/combine.ts";
import { lostSince } from "../../../host/policy/lost.ts";
import { compilePermissions, DEFAULT_LIMITS, type PermissionLayer, type Permissions } from "../../../manifests/mod.ts";

const BASES = { base: "/" };

function layer(name: string, permissions: Permissions): PermissionLayer {
  return { name, permissions: compilePermissions(permissions, BASES), unnamed: "none", otherwise: "prompt" };
}

function allowed(layers: readonly PermissionLayer[], fields: Partial<AllowDecision> = {}): AllowDecision {
  const because = { layer: "default", rule: "default" };
  return { kind: "allow", route: "wasm", grant: { layers }, limits: DEFAULT_LIMITS, because, confirm: "auto", ...fields };
}

/** Compares two user grants. */
function lost(before: Permissions, now: Permissions): string | undefined {
  return lostSince(allowed([layer("user grant", before)]), allowed([layer("user grant", now)]));
}

describe("lostSince()", () => {
  it.each<[string, Permissions, Permissions, string | undefined]>([
    ["nothing", { read: ["/a"] }, { read: ["/a"] }, undefined],
    ["nothing where more is allowed", { read: ["/a"] }, { read: true, net: ["example.org"] }, undefined],
    ["an item", { read: ["/a", "/b"] }, { read: ["/a"] }, 'read "/b" of user grant'],
    ["a kind", { read: ["/a"], env: ["HOME"] }, { read: ["/a"] }, 'env "HOME" of user grant'],
    ["all of a kind", { net: true }, { net: ["example.org"] }, "net of user grant"],
    ["an item that is now denied", { read: ["/a"] }, { read: { allow: ["/a"], deny: ["/a/b"] } }, 'read "/a/b" of user grant'],
    ["nothing if a denial was removed", { read: { allow: ["/a"], deny: ["/a/b"] } }, { read: ["/a"] }, undefined],
    ["an item that is now ignored", { env: ["HOME"] }, { env: { allow: ["HOME"], ignore: ["HOME"] } }, 'env "HOME" of user grant'],
  ])("reports %s [C2.revoked]", (_what, before, now, expected) => {
    expect(lost(before, now)).toBe(expected);
  });

  it('reports an address that was granted beside "everything" [C2.revoked, PA4]', () => {
    const [all, one] = [{ net: true }, { net: ["10.0.0.1"] }].map((permissions) => compilePermissions(permissions, BASES));
    if (all === undefined || one === undefined) expect.unreachable();
    const before = { ...layer("user grant", {}), permissions: uniteCompiled([all, one], BASES) };
    expect(lostSince(allowed([before]), allowed([layer("user grant", { net: true })]))).toBe('net "10.0.0.1" of user grant');
  });

  it("reports a new policy layer, and not one that was removed [P1.revoked]", () => {
    const own = layer("user grant", { read: ["/a"] });
    const house = layer("house", { read: ["/a"] });
    expect(lostSince(allowed([own]), allowed([house, own]))).toBe("house");
    expect(lostSince(allowed([house, own]), allowed([own]))).toBeUndefined();
    // Two layers of the same name keep their order.
    const other = layer("house", { read: ["/b"] });
    expect(lostSince(allowed([house, other]), allowed([house, other]))).toBeUndefined();
    expect(lostSince(allowed([house]), allowed([house, other]))).toBe("house");
  });

  it("ignores what the plugin itself requests: a call ends on the version that it began with [C2.revoked]", () => {
    for (const name of ["manifest", "tool", "class", "builtin"])
      expect(lostSince(allowed([layer(name, { read: ["/a"] })]), allowed([layer(name, {})])), name).toBeUndefined();
  });

  it("reports another route, a route that became unavailable, and a denial [P1.revoked]", () => {
    const before = allowed([]);
    const denied: DenyDecision = { kind: "deny", by: "policy", because: { layer: "house", rule: "deny a" } };
    expect(lostSince(before, allowed([], { route: "host" }))).toBe("route wasm is host now");
    expect(lostSince(before, allowed([], { unavailable: "Deno not found" }))).toBe("Deno not found");
    expect(lostSince(before, denied)).toBe("house: deny a");
  });
});
