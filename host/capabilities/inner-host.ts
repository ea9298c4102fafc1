/** Hosts that a hint never suggests to grant: a server that redirects there would profit if the user followed the hint (SPEC PA4). */

import { addressRange, parseIp } from "../../manifests/mod.ts";

/** Returns whether an address or name is outside of the public network: metadata services, this machine, the local network. */
export function isInnerHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/s, "$1");
  if (parseIp(bare) !== undefined) return addressRange(bare) !== "public";
  return !bare.includes(".") || /\.(?:internal|local|localhost|home\.arpa)\.?$/i.test(bare);
}
