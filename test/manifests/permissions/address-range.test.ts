import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressRange, embeddedAddresses, ipToText, parseIp } from "../../../manifests/mod.ts";
import "../../support/seed.ts";

/** First and last address of every block of the IANA registries that is not public, with their neighbours where those are public. */
const IPV4: readonly (readonly [first: string, last: string, range: string, before?: string | undefined, after?: string])[] = [
  ["0.0.0.0", "0.255.255.255", "reserved", undefined, "1.0.0.0"],
  ["10.0.0.0", "10.255.255.255", "private", "9.255.255.255", "11.0.0.0"],
  ["100.64.0.0", "100.127.255.255", "private", "100.63.255.255", "100.128.0.0"],
  ["127.0.0.0", "127.255.255.255", "loopback", "126.255.255.255", "128.0.0.0"],
  ["169.254.0.0", "169.254.255.255", "link-local", "169.253.255.255", "169.255.0.0"],
  ["172.16.0.0", "172.31.255.255", "private", "172.15.255.255", "172.32.0.0"],
  ["192.0.0.0", "192.0.0.255", "reserved", "191.255.255.255", "192.0.1.0"],
  ["192.0.2.0", "192.0.2.255", "reserved", "192.0.1.255", "192.0.3.0"],
  ["192.88.99.0", "192.88.99.255", "translated", "192.88.98.255", "192.88.100.0"],
  ["192.168.0.0", "192.168.255.255", "private", "192.167.255.255", "192.169.0.0"],
  ["198.18.0.0", "198.19.255.255", "reserved", "198.17.255.255", "198.20.0.0"],
  ["198.51.100.0", "198.51.100.255", "reserved", "198.51.99.255", "198.51.101.0"],
  ["203.0.113.0", "203.0.113.255", "reserved", "203.0.112.255", "203.0.114.0"],
  ["224.0.0.0", "239.255.255.255", "multicast", "223.255.255.255"],
  ["240.0.0.0", "255.255.255.255", "reserved"],
  ["168.63.129.16", "168.63.129.16", "metadata", "168.63.129.15", "168.63.129.17"],
  ["169.254.169.254", "169.254.169.254", "metadata"],
  ["100.100.100.200", "100.100.100.200", "metadata"],
];

const IPV6: readonly (readonly [address: string, range: string])[] = [
  ["::", "translated"],
  ["::1", "loopback"],
  ["::2", "translated"],
  ["::7f00:1", "translated"],
  ["::127.0.0.1", "translated"],
  ["::1:0:0", "reserved"],
  ["64:ff9b::7f00:1", "translated"],
  ["64:ff9b::8.8.8.8", "translated"],
  ["64:ff9b:1::1", "translated"],
  ["64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "translated"],
  ["64:ff9b:2::1", "reserved"],
  ["100::1", "reserved"],
  ["2001::1", "translated"],
  ["2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "translated"],
  ["2001:2::1", "reserved"],
  ["2001:10::1", "reserved"],
  ["2001:1ff:ffff::1", "reserved"],
  ["2001:200::1", "public"],
  ["2001:db8::1", "reserved"],
  ["2001:db7:ffff::1", "public"],
  ["2001:db9::1", "public"],
  ["2002::1", "translated"],
  ["2002:7f00:1::", "translated"],
  ["2003::1", "public"],
  ["2606:4700:4700::1111", "public"],
  ["3fff::1", "reserved"],
  ["3fff:fff:ffff::1", "reserved"],
  ["3fff:1000::1", "public"],
  ["4000::1", "reserved"],
  ["5f00::1", "reserved"],
  ["fc00::1", "private"],
  ["fdff:ffff::1", "private"],
  ["fd00:ec2::254", "metadata"],
  ["fd20:ce::254", "metadata"],
  ["fe80::1", "link-local"],
  ["febf::1", "link-local"],
  ["fec0::1", "private"],
  ["ff02::1", "multicast"],
];

describe("addressRange()", () => {
  it.each(IPV4)("recognises %s to %s as %s, and the ends of the block [C6.ranges]", (...row) => {
    const [first, last, range, ...neighbours]: readonly (string | undefined)[] = row;
    for (const address of [first, last]) expect(addressRange(address ?? "")).toBe(range);
    for (const address of neighbours) if (address !== undefined) expect(addressRange(address)).toBe("public");
  });

  it.each(IPV6)("recognises %s as %s [C6.ranges]", (address, range) => expect(addressRange(address)).toBe(range));

  it.each(["", "localhost", "1.2.3", "01.2.3.4", "1.2.3.4.", "fe80::1%eth0", "[::1]", "0x7f.0.0.1", "1".repeat(100)])(
    "does not accept %j as a public address [C6.ranges]",
    (text) => expect(addressRange(text)).toBe("reserved"),
  );

  it("reads a mapped address as the address that it maps [C6.ranges]", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(addressRange(`::ffff:${address}`)).toBe(addressRange(address));
        const bytes = address.split(".").map(Number);
        const hex = (at: number): string => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16);
        expect(addressRange(`::ffff:${hex(0)}:${hex(2)}`)).toBe(addressRange(address));
      }),
    );
  });

  it("accepts no address as public that contains another address [C6.ranges]", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
        const hex = (high: number, low: number): string => ((high << 8) | low).toString(16);
        for (const text of [
          `::${address}`,
          `64:ff9b::${address}`,
          `64:ff9b:1::${address}`,
          `2002:${hex(a, b)}:${hex(c, d)}::1`,
          `2001:0:${hex(a, b)}:${hex(c, d)}::1`,
        ]) {
          expect(addressRange(text), text).not.toBe("public");
          if (text !== "::0.0.0.1") expect(embeddedAddresses(text), text).toContain(address);
        }
      }),
    );
  });

  it("returns the same range for every notation of an address [C6.ranges]", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV6(), fc.ipV4()), (address) => {
        const parsed = parseIp(address);
        if (parsed === undefined) return;
        expect(addressRange(ipToText(parsed))).toBe(addressRange(address));
        expect(addressRange(address.toUpperCase())).toBe(addressRange(address));
      }),
    );
  });

  it("agrees with a list of every public /16 of IPv4 [C6.ranges]", () => {
    // Each /16 is public as a whole or not at all, except these.
    const mixed = new Set(["192.0", "192.88", "198.51", "203.0", "168.63"]);
    const hidden = (a: number, b: number): boolean =>
      a === 0 ||
      a === 10 ||
      a === 127 ||
      a >= 224 ||
      (a === 100 && b >= 64 && b < 128) ||
      (a === 169 && b === 254) ||
      (a === 172 && b >= 16 && b < 32) ||
      (a === 192 && b === 168) ||
      (a === 198 && (b === 18 || b === 19));
    for (let a = 0; a < 256; a++) {
      for (let b = 0; b < 256; b++) {
        if (mixed.has(`${a}.${b}`)) continue;
        expect(addressRange(`${a}.${b}.7.7`) === "public", `${a}.${b}`).toBe(!hidden(a, b));
      }
    }
  });
});
