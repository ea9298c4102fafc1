/** Hosts that no advice offers by itself: a server that leads a call there wants exactly this advice to be followed (SPEC PA4). */

import { addressRange, parseIp } from "../../manifests/mod.ts";

/** An address, or a name, that is not of the public network: metadata services, this machine, what is behind the same router. */
export function isInnerHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/s, "$1");
  if (parseIp(bare) !== undefined) return addressRange(bare) !== "public";
  return !bare.includes(".") || /\.(?:internal|local|localhost|home\.arpa)\.?$/i.test(bare);
}
