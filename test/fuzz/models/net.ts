/** Net items and URLs, compared with Node's own URL parser and address lists. */

import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { toNetQuery } from "../../../host/capabilities/checked.ts";
import { compilePermissions, evaluateAccess, evaluateAddress, parseNetItem, type PermissionLayer } from "../../../manifests/mod.ts";
import { model, type Model } from "./model.ts";

const byte = fc.nat(255);
const v4 = fc.tuple(fc.constantFrom(10, 127, 93, 192, 169, 0, 255), byte, byte, byte).map((parts) => parts.join("."));
const v6 = fc.constantFrom("::1", "::", "fe80::1", "fc00::7", "2606:4700::1", "2001:db8::2", "::ffff:7f00:1", "64:ff9b::7f00:1");
const name = fc
  .array(fc.constantFrom("a", "b", "xn--bcher-kva", "test", "internal", "1"), { minLength: 1, maxLength: 3 })
  .map((labels) => [...labels, "test"].join("."));
const port = fc.constantFrom("", ":80", ":443", ":8080");
const item = fc.oneof(
  fc.tuple(name, port).map((parts) => parts.join("")),
  fc.tuple(name, port).map((parts) => `*.${parts.join("")}`),
  fc.tuple(v4, port).map((parts) => parts.join("")),
  fc.tuple(v4, fc.integer({ min: 1, max: 32 }), port).map(([address, bits, at]) => `${address}/${bits}${at}`),
  fc.tuple(v6, port).map(([address, at]) => `[${address}]${at}`),
);

/** Spellings of one address, all of which URLs accept. */
const spelledV4 = fc.tuple(v4, fc.nat(4)).map(([text, how]) => {
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  return (
    [text, String(whole), `0x${whole.toString(16)}`, `${a}.${b}.${c * 256 + d}`, `0${a.toString(8)}.0x${b.toString(16)}.${c}.${d}.`][how] ??
    text
  );
});
const host = fc.oneof(
  name,
  name.map((text) => text.toUpperCase()),
  name.map((text) => `${text}.`),
  spelledV4,
  v6.map((text) => `[${text}]`),
);
const url = fc
  .tuple(fc.constantFrom("http", "https"), host, port, fc.constantFrom("/", "/a/../b", "/%2e%2e/c?d"))
  .map(([scheme, at, on, rest]) => `${scheme}://${at}${on}${rest}`);

function layerOf(items: readonly string[]): PermissionLayer {
  return { name: "grant", permissions: compilePermissions({ net: items }, { base: "/" }), unnamed: "none", otherwise: "prompt" };
}

export const netModels: readonly Model[] = [
  model(
    "net: a URL is granted exactly if its canonical host is in one of the items, with its port [PA2.net]",
    fc.tuple(fc.array(item, { maxLength: 3 }), url),
    ([items, text]) => {
      const parsed = new URL(text);
      const { state } = evaluateAccess([layerOf(items)], toNetQuery(parsed, "GET"));
      const expected = items.some((one) => covers(one, parsed)) ? "granted" : "prompt";
      if (state !== expected) throw new Error(`${parsed.href} is ${state} instead of ${expected} under ${items.join(", ")}`);
    },
  ),
  model(
    "net: a name never resolves to an address that is not public, unless the address itself is granted [PA4.private] [C6.private]",
    fc.tuple(name, fc.array(item, { maxLength: 2 }), fc.oneof(v4, v6)),
    ([granted, items, address]) => {
      const target = { kind: "net", host: granted, port: 80 } as const;
      const { state } = evaluateAddress([layerOf([granted, ...items])], target, address);
      const asUrl = new URL(`http://${isIP(address) === 6 ? `[${address}]` : address}/`);
      const isNamed = items.some((one) => covers(one, asUrl));
      if (state === "granted" && isHidden(address) && !isNamed)
        throw new Error(`${address} is granted by ${[granted, ...items].join(", ")}`);
      if (state !== "granted" && !isHidden(address) && isPlainPublic(address)) throw new Error(`${address} is ${state}`);
    },
  ),
  model("net: any text is an item or is rejected with a reason", fc.string({ maxLength: 40, unit: "binary" }), (text) => {
    const outcome = parseNetItem(text);
    return outcome.ok || outcome.reason.length > 0;
  }),
];

function covers(one: string, { hostname, port: at, protocol }: URL): boolean {
  const parts = /^(.*?|\[.*\])(?::(\d+))?$/.exec(one);
  const wanted = parts?.[1] ?? "";
  const onPort = at === "" ? (protocol === "https:" ? "443" : "80") : at;
  if (parts?.[2] !== undefined && parts[2] !== onPort) return false;
  const asked = plain(hostname);
  if (wanted.startsWith("*.")) return asked === wanted.slice(2) || asked.endsWith(wanted.slice(1));
  const family = (text: string): "ipv4" | "ipv6" => (isIP(text) === 6 ? "ipv6" : "ipv4");
  const [address = "", bits] = wanted.split("/");
  if (isIP(plain(address)) === 0) return asked === wanted;
  if (isIP(asked) === 0) return false;
  if (bits === undefined && new URL(`http://${address}/`).hostname === hostname) return true;
  const [base, low] = [unmapped(plain(address)), unmapped(asked)];
  if (family(base) !== family(low)) return false;
  const block = new BlockList();
  block.addSubnet(base, Number(bits ?? (family(base) === "ipv6" ? 128 : 32)), family(base));
  return block.check(low, family(low));
}

function plain(text: string): string {
  return (text.startsWith("[") ? text.slice(1, -1) : text).replace(/\.$/, "");
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
function unmapped(text: string): string {
  const hex = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(text);
  if (hex === null) return text;
  const [high, low] = [Number.parseInt(hex[1] ?? "0", 16), Number.parseInt(hex[2] ?? "0", 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** An independent implementation, from RFC 6890 and known translation prefixes. */
function isHidden(address: string): boolean {
  const text = unmapped(address);
  if (isIP(text) === 6) return !text.startsWith("2606:");
  return HIDDEN.check(text, "ipv4");
}

const HIDDEN = new BlockList();
for (const [base, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["255.255.255.255", 32],
] as const)
  HIDDEN.addSubnet(base, bits, "ipv4");

function isPlainPublic(address: string): boolean {
  return address.startsWith("93.") || address.startsWith("2606:");
}
