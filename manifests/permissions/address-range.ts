/** Classifies IP addresses by the IANA registries of special-purpose addresses (RFC 6890). */

import { blockHolds, type IpAddress, type IpBlock, parseIp, parseIpBlock } from "./ip-address.ts";

/** Purpose of an address; `public` is every address without a special purpose. */
export type AddressRange = "public" | "private" | "loopback" | "link-local" | "multicast" | "metadata" | "translated" | "reserved";

type Row = readonly [block: string, range: AddressRange];

/** https://www.iana.org/assignments/iana-ipv4-special-registry, and the metadata addresses of clouds. The first match counts. */
const IPV4: readonly Row[] = [
  ["169.254.169.254/32", "metadata"],
  // Alibaba's, Oracle's and Azure's; Azure's is outside every private range.
  ["100.100.100.200/32", "metadata"],
  ["192.0.0.192/32", "metadata"],
  ["168.63.129.16/32", "metadata"],
  ["0.0.0.0/8", "reserved"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "private"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "reserved"],
  ["192.88.99.0/24", "translated"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "reserved"],
  ["198.51.100.0/24", "reserved"],
  ["203.0.113.0/24", "reserved"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
];

/** https://www.iana.org/assignments/iana-ipv6-special-registry. The first match counts. */
const IPV6: readonly Row[] = [
  ["fd00:ec2::254/128", "metadata"],
  ["fd20:ce::254/128", "metadata"],
  ["::1/128", "loopback"],
  // Contain an IPv4 address: v4-compatible, NAT64 (RFC 6052, RFC 8215), Teredo (RFC 4380), 6to4 (RFC 3056).
  ["::/96", "translated"],
  ["64:ff9b::/96", "translated"],
  ["64:ff9b:1::/48", "translated"],
  ["2001::/32", "translated"],
  ["2002::/16", "translated"],
  ["2001::/23", "reserved"],
  ["2001:db8::/32", "reserved"],
  ["3fff::/20", "reserved"],
  // The block of global unicast addresses (RFC 4291 §2.4).
  ["2000::/3", "public"],
  ["fc00::/7", "private"],
  ["fe80::/10", "link-local"],
  ["fec0::/10", "private"],
  ["ff00::/8", "multicast"],
];

const IPV4_BLOCKS = IPV4.map(compile);
const IPV6_BLOCKS = IPV6.map(compile);

/** Returns the range of an address. An IPv4 address mapped into IPv6 counts as IPv4; text that is not an address is `reserved`. */
export function addressRange(text: string): AddressRange {
  const address = parseIp(text);
  if (address === undefined) return "reserved";
  const rows = address.length === 4 ? IPV4_BLOCKS : IPV6_BLOCKS;
  const row = rows.find(({ block }) => blockHolds(block, address));
  return row?.range ?? (address.length === 4 ? "public" : "reserved");
}

/**
 * Returns the IPv4 addresses that a translator reads from an IPv6 address: v4-compatible, NAT64 with a /96 prefix, 6to4, and
 * Teredo's server and client. The prefix length in `64:ff9b:1::/48` is the network's choice, so all candidates are returned: a
 * translator reads one of them and ignores the other bits (RFC 6052 §2.2). Candidates in 0.0.0.0/8 are the padding of another
 * length.
 */
export function embeddedAddresses(text: string): readonly string[] {
  const address = parseIp(text);
  if (address === undefined || address.length === 4 || addressRange(text) !== "translated") return [];
  if (startsWith(address, [0x20, 0x02])) return [dotted(address.slice(2, 6))];
  if (startsWith(address, [0x20, 0x01])) return [dotted(address.slice(4, 8)), dotted(address.slice(12).map((byte) => byte ^ 0xff))];
  if (!startsWith(address, [0x00, 0x64, 0xff, 0x9b, 0x00, 0x01])) return [dotted(address.slice(12))];
  const read = LOCAL_NAT64.map((places) => places.map((place) => address[place] ?? 0));
  const meant = read.filter(([first]) => first !== 0);
  return [...new Set((meant.length > 0 ? meant : read).map(dotted))];
}

/** Byte positions of the IPv4 address for a prefix of 48, 56, 64 and 96 bits, without bits 64 to 71 (RFC 6052 §2.2). */
const LOCAL_NAT64: readonly (readonly number[])[] = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
];

function startsWith(address: IpAddress, prefix: IpAddress): boolean {
  return prefix.every((byte, index) => address[index] === byte);
}

function dotted(bytes: IpAddress): string {
  return bytes.join(".");
}

function compile([text, range]: Row): { readonly block: IpBlock; readonly range: AddressRange } {
  const block = parseIpBlock(text);
  if (block === undefined) throw new Error(`"${text}" is not a block of addresses`);
  return { block, range };
}
