/** Decides about the resolved address of a host (SPEC PA4, C6). */

import { addressRange, embeddedAddresses } from "./address-range.ts";
import { ipToText, parseIp } from "./ip-address.ts";
import { canonicalHost } from "./permission-net.ts";
import type { AccessQuery, AccessState, CompiledEntry, PermissionLayer } from "./permissions.ts";

/** Query for the host that the address was resolved from. */
export type NetQuery = Extract<AccessQuery, { readonly kind: "net" }>;

export interface AddressVerdict {
  readonly state: AccessState;
  readonly layer: string;
  /** The item that denied it, as written. */
  readonly rule?: string;
}

/**
 * Decides whether a call may connect to an address of a host that the layers already allow by name.
 *
 * No layer may deny the address, nor an address that a translator reads from it. An address that is not public must also be
 * allowed by an address or a block that contains it (or by `localhost`, for a loopback address of that name), in the layers that
 * users write; `true` and names are not enough. For a translated address (NAT64, 6to4, Teredo) this applies to the embedded
 * addresses, because an IPv6-only network reaches every IPv4 host through one. Text that is not an address is denied.
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

/** Drops the manifest's layer if the user's grants decide. Host tools have no such layer. */
function decidingLayers(layers: readonly PermissionLayer[]): readonly PermissionLayer[] {
  const users = layers.filter(({ otherwise }) => otherwise === "prompt");
  return users.length > 0 ? users : layers.filter(({ unnamed }) => unnamed === "none");
}

function namesAddress({ permissions }: PermissionLayer, asked: NetQuery, { host, ...query }: AddressQuery): boolean {
  const items = listedItems(permissions.entries.get("net"));
  // A name never matches an address, so a matching item was written as an address.
  if (items.some((item) => item.matches({ ...query, host }))) return true;
  const isLocal = asked.host !== undefined && canonicalHost(asked.host) === "localhost" && addressRange(host) === "loopback";
  return isLocal && items.some((item) => item.matches({ ...query, host: "localhost" }));
}

function listedItems(entry: CompiledEntry | undefined): NonNullable<CompiledEntry["listed"]> {
  if (entry === undefined) return [];
  return entry.allow === true ? (entry.listed ?? []) : entry.allow;
}
