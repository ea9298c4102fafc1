import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addressRange,
  compilePermissions,
  embeddedAddresses,
  evaluateAddress,
  type PermissionLayer,
  type Permissions,
} from "../../../manifests/mod.ts";
import "../../support/seed.ts";

function layer(net: Permissions["net"], kind: "user" | "manifest" | "policy" = "user"): PermissionLayer {
  const permissions = compilePermissions(net === undefined ? {} : { net }, { base: "/" });
  return { name: kind, permissions, unnamed: kind === "policy" ? "transparent" : "none", otherwise: kind === "user" ? "prompt" : "denied" };
}

function state(layers: readonly PermissionLayer[], address: string, host = "api.test"): string {
  return evaluateAddress(layers, { kind: "net", host, port: 80, method: "GET", path: "/a" }, address).state;
}

describe("evaluateAddress()", () => {
  it("allows public addresses that no layer denies [PA4]", () => {
    expect(state([layer(["api.test"])], "93.184.215.14")).toBe("granted");
    expect(state([layer(true)], "2606:4700:4700::1111")).toBe("granted");
    expect(state([layer(["api.test"]), layer({ deny: ["93.184.0.0/16"] }, "policy")], "93.184.215.14")).toBe("denied");
    expect(state([layer({ allow: true, deny: ["93.184.215.14:443"] })], "93.184.215.14")).toBe("granted");
    expect(state([layer({ allow: true, deny: ["93.184.215.14:80"] })], "93.184.215.14")).toBe("denied");
  });

  it("requires an address or a block for addresses that are not public, in the user's layers [PA4]", () => {
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

  it("accepts localhost for loopback addresses of that name only [PA4]", () => {
    expect(state([layer(["localhost:80"])], "127.0.0.1", "localhost")).toBe("granted");
    expect(state([layer(["localhost"])], "::1", "localhost")).toBe("granted");
    expect(state([layer(["localhost:81"])], "::1", "localhost")).toBe("prompt");
    expect(state([layer(["localhost"])], "10.0.0.1", "localhost")).toBe("prompt");
    expect(state([layer(["localhost", "api.test"])], "127.0.0.1")).toBe("prompt");
    expect(state([layer(true)], "127.0.0.1", "localhost")).toBe("prompt");
  });

  it.each([
    ["NAT64", "64:ff9b::8.8.8.8", "64:ff9b::127.0.0.1"],
    ["NAT64 with a network-specific prefix, /96", "64:ff9b:1::8.8.8.8", "64:ff9b:1::127.0.0.1"],
    ["NAT64 with a network-specific prefix, /64", "64:ff9b:1:0:8:808:800:0", "64:ff9b:1:0:7f:0:100:0"],
    ["NAT64 with a network-specific prefix, /56", "64:ff9b:1:8:8:808::", "64:ff9b:1:7f:0:1::"],
    ["NAT64 with a network-specific prefix, /48", "64:ff9b:1:808:8:800::", "64:ff9b:1:7f00:0:100::"],
    ["6to4", "2002:808:808::1", "2002:7f00:1::1"],
    ["Teredo", "2001:0:808:808::f7f7:f7f7", "2001:0:808:808::80ff:fffe"],
    ["the compatible form", "::8.8.8.8", "::127.0.0.1"],
  ])("judges an address of %s by the embedded one [PA4.translated] [C6.ranges]", (_name, open, local) => {
    for (const net of [["api.test"], true] as const) {
      expect(state([layer(net)], open)).toBe("granted");
      expect(state([layer(net)], local)).toBe("prompt");
    }
    expect(state([layer({ allow: ["api.test"], deny: ["8.8.8.8"] })], open)).toBe("denied");
    // The grant must name the embedded address, not the translated one.
    expect(state([layer(["api.test", "::/0"])], local)).toBe("prompt");
    expect(state([layer(["api.test", "127.0.0.0/8"])], local)).toBe("granted");
    expect(state([layer({ allow: true, deny: ["127.0.0.0/8"] })], local)).toBe("denied");
  });

  it("treats a local NAT64 address as every address that a translator may read from it [PA4.translated] [C6.ranges]", () => {
    // 10.0.0.5 for a prefix of 48 bits, 8.8.8.8 for one of 96.
    expect(state([layer(true)], "64:ff9b:1:a00:0:500:808:808")).toBe("prompt");
    expect(state([layer(["8.8.8.8", "10.0.0.5"])], "64:ff9b:1::")).toBe("prompt");
  });

  it.each(["", "localhost", "127.0.0.1%lo", "fe80::1%eth0", "1.2.3"])("denies %j, which is not an address [PA4]", (address) => {
    expect(state([layer(true)], address)).toBe("denied");
  });

  it("denies without any layer, and if net is denied completely [PA4]", () => {
    expect(state([], "93.184.215.14")).toBe("denied");
    expect(state([layer({ allow: true, deny: true })], "93.184.215.14")).toBe("denied");
  });

  it("does not allow private addresses for names or for everything [PA4]", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.ipV4(), fc.ipV6()),
        fc.constantFrom<Permissions["net"]>(true, ["api.test"], ["*.test", "localhost"]),
        (address, net) => {
          const granted = state([layer(net)], address) === "granted";
          const inside = embeddedAddresses(address);
          expect(granted).toBe((inside.length > 0 ? inside : [address]).every((one) => addressRange(one) === "public"));
        },
      ),
    );
  });
});
