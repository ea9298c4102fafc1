/** Environment variables of a trusted plugin's process: those that its call may read, and no others (SPEC O1, C7). */

import { evaluateAccess } from "../../../manifests/mod.ts";
import type { BridgeContext } from "../../capabilities/bridge.ts";

/** Variables that would change the runtime before the plugin requests anything. */
const OF_THE_RUNTIME = /^(?:DENO_|NODE_|LD_|DYLD_|V8_|BASCULE_|SSL_|UV_|OPENSSL_)/i;

/** Returns the granted variables without secrets, whose values reach hosts only in the sandbox's requests. */
export function grantedEnvironment({ grant, platform: { environment }, secrets }: BridgeContext): Readonly<Record<string, string>> {
  const granted: Record<string, string> = {};
  for (const name of environment.names()) {
    if (OF_THE_RUNTIME.test(name) || secrets.has(name)) continue;
    const value = environment.get(name);
    if (value !== undefined && evaluateAccess(grant.layers, { kind: "env", name }).state === "granted") granted[name] = value;
  }
  return granted;
}
