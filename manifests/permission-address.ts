/** Decides about the address that a host's name led to (SPEC PA4, C6). */

import { addressRange, embeddedAddresses } from "./address-range.ts";
import { ipToText, parseIp } from "./ip-address.ts";
import { canonicalHost } from "./permission-net.ts";
import type { AccessQuery, AccessState, CompiledEntry, PermissionLayer } from "./permissions.ts";

/** What is asked of the host that the address was resolved from. */
export type NetQuery = Extract<AccessQuery, { readonly kind: "net" }>;

export interface AddressVerdict {
  readonly state: AccessState;
  readonly layer: string;
  /** The item that denied it, as written. */
  readonly rule?: string;
}

/**
 * Whether an address may be connected to for a host that the layers already allow by its name.
 *
 * No layer may deny the address, nor one that a translator reads out of it. One that is not public must besides be allowed
 * by an address or a block that holds it (or by `localhost`, for a loopback address of that name), where a person says
 * what is allowed; `true` and names are not enough. Where a translator is meant (NAT64, 6to4, Teredo), that is asked of the addresses
 * inside: on a network of IPv6 only, every host of IPv4 is reached by such an address. What is no address is denied.
 *
 * @example
 * ```ts
 * const permissions = compilePermissions({ net: ["intranet.example", "10.0.0.0/8"] }, { base: "/" });
 * const layer = { name: "user grant", permissions, unnamed: "none", otherwise: "prompt" } as const;
 * evaluateAddress([layer], { kind: "net", host: "intranet.example", port: 80 }, "10.1.2.3").state; // "granted"
 * evaluateAddress([layer], { kind: "net", host: "intranet.example", port: 80 }, "127.0.0.1").state; // "prompt"
 * ```
 */
export function evaluateAddress(layers: readonly PermissionLayer[], query: NetQuery, address: string): AddressVerdict {
  const parsed = parseIp(address);
  if (parsed === undefined || layers.length === 0) return { state: "denied", layer: "resolved address" };
  const own = { ...query, host: ipToText(parsed) };
  const inside = embeddedAddresses(address).map((host) => ({ ...query, host }));
  const denial = findDenial(layers, [own, ...inside]);
  if (denial !== undefined) return denial;

  const deciding = decidingLayers(layers);
  const hidden = (inside.length > 0 ? inside : [own]).filter(({ host }) => addressRange(host) !== "public");
  const [layer = "resolved address"] = deciding.map(({ name }) => name);
  if (hidden.every((one) => deciding.some((decider) => namesAddress(decider, query, one)))) return { state: "granted", layer };
  return { state: deciding.some(({ otherwise }) => otherwise === "prompt") ? "prompt" : "denied", layer };
}

type AddressQuery = NetQuery & { readonly host: string };

function findDenial(layers: readonly PermissionLayer[], queries: readonly AddressQuery[]): AddressVerdict | undefined {
  for (const { name, permissions } of layers) {
    const deny = permissions.entries.get("net")?.deny ?? [];
    if (deny === true) return { state: "denied", layer: name, rule: "true" };
    const item = deny.find((one) => queries.some((query) => one.matches(query)));
    if (item !== undefined) return { state: "denied", layer: name, rule: item.written };
  }
  return undefined;
}

/** A manifest is the plugin's own word; where people grant, theirs counts. Host tools have no such layer. */
function decidingLayers(layers: readonly PermissionLayer[]): readonly PermissionLayer[] {
  const users = layers.filter(({ otherwise }) => otherwise === "prompt");
  return users.length > 0 ? users : layers.filter(({ unnamed }) => unnamed === "none");
}

function namesAddress({ permissions }: PermissionLayer, asked: NetQuery, { host, ...query }: AddressQuery): boolean {
  const items = listedItems(permissions.entries.get("net"));
  // No name matches an address, so what matches here was written as one.
  if (items.some((item) => item.matches({ ...query, host }))) return true;
  const isLocal = asked.host !== undefined && canonicalHost(asked.host) === "localhost" && addressRange(host) === "loopback";
  return isLocal && items.some((item) => item.matches({ ...query, host: "localhost" }));
}

function listedItems(entry: CompiledEntry | undefined): NonNullable<CompiledEntry["listed"]> {
  if (entry === undefined) return [];
  return entry.allow === true ? (entry.listed ?? []) : entry.allow;
}
