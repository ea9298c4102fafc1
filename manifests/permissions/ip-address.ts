/** IP addresses as bytes: 4 for IPv4 (also written `::ffff:a.b.c.d`), 16 for IPv6. */

export type IpAddress = readonly number[];

/** A block of addresses. */
export interface IpBlock {
  readonly address: IpAddress;
  /** Number of leading bits that are compared. */
  readonly bits: number;
}

/** Parses strict dotted decimal or IPv6 (RFC 4291, no zone, no brackets); undefined for anything else. */
export function parseIp(text: string): IpAddress | undefined {
  const bytes = text.includes(":") ? parseIpv6(text) : parseIpv4(text);
  return bytes !== undefined && isMapped(bytes) ? bytes.slice(12) : bytes;
}

/** Parses `address/bits`; undefined for anything else. */
export function parseIpBlock(text: string): IpBlock | undefined {
  const parts = /^([0-9.]+(?=\/[0-9]{1,2}$)|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)\/([0-9]{1,3})$/.exec(text);
  const address = parts === null ? undefined : parseIp(parts[1] ?? "");
  if (parts === null || address === undefined) return undefined;
  const width = parts[1]?.includes(":") === true ? 128 : 32;
  // A mapped address lacks the leading 96 bits.
  const bits = Number(parts[2]) - (width - address.length * 8);
  return bits < 0 || bits > address.length * 8 ? undefined : { address, bits };
}

/** Returns whether the block contains the address. */
export function blockHolds(block: IpBlock, address: IpAddress): boolean {
  if (block.address.length !== address.length) return false;
  return address.every((byte, index) => {
    const mask = (0xff00 >> Math.min(8, Math.max(0, block.bits - index * 8))) & 0xff;
    return (byte & mask) === ((block.address[index] ?? 0) & mask);
  });
}

/** Returns one text per address: dotted decimal, or eight hex groups without zero compression. */
export function ipToText(address: IpAddress): string {
  if (address.length === 4) return address.join(".");
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((((address[i] ?? 0) << 8) | (address[i + 1] ?? 0)).toString(16));
  return groups.join(":");
}

function parseIpv4(text: string): number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256)) return undefined;
  return parts.map(Number);
}

function parseIpv6(text: string): number[] | undefined {
  if (text.length > 45) return undefined;
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const front = groupBytes(halves[0] ?? "", halves.length === 1);
  const back = halves.length === 2 ? groupBytes(halves[1] ?? "", true) : [];
  if (front === undefined || back === undefined) return undefined;
  const missing = 16 - front.length - back.length;
  // "::" stands for at least one group.
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return [...front, ...Array.from({ length: missing }, () => 0), ...back];
}

function groupBytes(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    const dotted = mayEndInIpv4 && index === groups.length - 1 && group.includes(".") ? parseIpv4(group) : undefined;
    if (dotted !== undefined) bytes.push(...dotted);
    else if (/^[0-9a-fA-F]{1,4}$/.test(group)) bytes.push(parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff);
    else return undefined;
  }
  return bytes;
}

function isMapped(bytes: readonly number[]): boolean {
  return bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}
