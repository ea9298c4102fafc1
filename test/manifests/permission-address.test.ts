import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressRange, compilePermissions, evaluateAddress, type PermissionLayer, type Permissions } from "../../manifests/mod.ts";
import "../support/seed.ts";

function layer(net: Permissions["net"], kind: "user" | "manifest" | "policy" = "user"): PermissionLayer {
  const permissions = compilePermissions(net === undefined ? {} : { net }, { base: "/" });
  return { name: kind, permissions, unnamed: kind === "policy" ? "transparent" : "none", otherwise: kind === "user" ? "prompt" : "denied" };
}

function state(layers: readonly PermissionLayer[], address: string, host = "api.test"): string {
  return evaluateAddress(layers, { kind: "net", host, port: 80, method: "GET", path: "/a" }, address).state;
}

describe("evaluateAddress()", () => {
  it("lets public addresses pass that nobody denies [PA4]", () => {
    expect(state([layer(["api.test"])], "93.184.215.14")).toBe("granted");
    expect(state([layer(true)], "2606:4700:4700::1111")).toBe("granted");
    expect(state([layer(["api.test"]), layer({ deny: ["93.184.0.0/16"] }, "policy")], "93.184.215.14")).toBe("denied");
    expect(state([layer({ allow: true, deny: ["93.184.215.14:443"] })], "93.184.215.14")).toBe("granted");
    expect(state([layer({ allow: true, deny: ["93.184.215.14:80"] })], "93.184.215.14")).toBe("denied");
  });

  it("wants an address or a block for what is not public, from a person [PA4]", () => {
    expect(state([layer(["api.test"])], "10.0.0.1")).toBe("prompt");
    expect(state([layer(true)], "10.0.0.1")).toBe("prompt");
    expect(state([layer(["api.test", "10.0.0.0/8"])], "10.0.0.1")).toBe("granted");
    expect(state([layer(["api.test", "10.0.0.1:80"])], "10.0.0.1")).toBe("granted");
    expect(state([layer(["api.test", "10.0.0.1:81"])], "10.0.0.1")).toBe("prompt");
    expect(state([layer(["api.test", { host: "10.0.0.1", methods: ["POST"] }])], "10.0.0.1")).toBe("prompt");
    expect(state([layer(["10.0.0.1"], "manifest"), layer(true)], "10.0.0.1")).toBe("prompt");
    expect(state([layer(true, "manifest"), layer(["api.test", "10.0.0.1"])], "10.0.0.1")).toBe("granted");
    expect(state([layer(["10.0.0.1"], "manifest")], "10.0.0.1")).toBe("granted");
    expect(state([layer(["10.0.0.1"], "policy")], "10.0.0.1")).toBe("denied");
  });

  it("takes localhost for loopback addresses of that name only [PA4]", () => {
    expect(state([layer(["localhost:80"])], "127.0.0.1", "localhost")).toBe("granted");
    expect(state([layer(["localhost"])], "::1", "localhost")).toBe("granted");
    expect(state([layer(["localhost:81"])], "::1", "localhost")).toBe("prompt");
    expect(state([layer(["localhost"])], "10.0.0.1", "localhost")).toBe("prompt");
    expect(state([layer(["localhost", "api.test"])], "127.0.0.1")).toBe("prompt");
    expect(state([layer(true)], "127.0.0.1", "localhost")).toBe("prompt");
  });

  it("looks into addresses that carry another one [PA4]", () => {
    const nat64 = ["api.test", "64:ff9b::/96"];
    expect(state([layer(nat64)], "64:ff9b::8.8.8.8")).toBe("granted");
    expect(state([layer(nat64)], "64:ff9b::127.0.0.1")).toBe("prompt");
    expect(state([layer([...nat64, "127.0.0.1"])], "64:ff9b::127.0.0.1")).toBe("granted");
    expect(state([layer({ allow: nat64, deny: ["8.8.8.8"] })], "64:ff9b::8.8.8.8")).toBe("denied");
  });

  it.each(["", "localhost", "127.0.0.1%lo", "fe80::1%eth0", "1.2.3"])("denies %j, which is no address [PA4]", (address) => {
    expect(state([layer(true)], address)).toBe("denied");
  });

  it("denies without any layer, and where net is denied altogether [PA4]", () => {
    expect(state([], "93.184.215.14")).toBe("denied");
    expect(state([layer({ allow: true, deny: true })], "93.184.215.14")).toBe("denied");
  });

  it("grants no address that is not public to names and to everything [PA4]", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.ipV4(), fc.ipV6()),
        fc.constantFrom<Permissions["net"]>(true, ["api.test"], ["*.test", "localhost"]),
        (address, net) => {
          const granted = state([layer(net)], address) === "granted";
          expect(granted).toBe(addressRange(address) === "public");
        },
      ),
    );
  });
});
