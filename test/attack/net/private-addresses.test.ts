import { describe, expect, it } from "vitest";
import { failureOf, netCall } from "../../support/hostile-server.ts";

const HIDDEN = [
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "169.254.1.1",
  "169.254.169.254",
  "100.100.100.200",
  "168.63.129.16",
  "0.0.0.0",
  "224.0.0.1",
  "255.255.255.255",
  "198.18.0.1",
  "::1",
  "::",
  "::ffff:10.0.0.1",
  "::ffff:a9fe:a9fe",
  "::10.0.0.1",
  "64:ff9b::a00:1",
  "64:ff9b:1::a00:1",
  "2001::a00:1",
  "2002:a00:1::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fec0::1",
  "ff02::1",
  "2001:db8::1",
  "3fff::1",
  "5f00::1",
  "100::1",
];

describe("attack: a name that leads into a private network", () => {
  it.each(HIDDEN)("refuses %s behind a granted name, and hides the address from the guest [C6.private, PA4]", async (address) => {
    for (const net of [["inside.test"], true] as const) {
      const { fetch, acts } = netCall(net, { resolve: async () => [address] });
      const failure = failureOf(await fetch("http://inside.test:8080/"));
      expect(failure).toMatch(/^NotCapable: Requires net access to "inside\.test:8080", whose address is not public/);
      expect(failure).not.toContain(address);
      expect(acts.map(({ decision }) => decision)).toEqual(["granted", "denied"]);
    }
  });

  it("refuses a name if one of its many addresses is private [C6.private]", async () => {
    const { fetch } = netCall(["inside.test"], { resolve: async () => ["93.184.215.14", "10.0.0.1"] });
    expect(failureOf(await fetch("http://inside.test/"))).toMatch(/^NotCapable: /);
  });

  it.each([
    [["fe80::1%eth0"]],
    [["93.184.215.14", "fe80::1%eth0"]],
    [["not an address"]],
    [[]],
    [Array.from({ length: 100 }, () => "93.184.215.14")],
  ])("rejects the malformed answer %j [C6.private]", async (addresses) => {
    const { fetch } = netCall(["inside.test"], { resolve: async () => addresses });
    expect(failureOf(await fetch("http://inside.test/"))).toMatch(/dns error/);
  });
});
