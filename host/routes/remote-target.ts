/** Chooses the host that a call goes to, and the addresses at which it may be found (SPEC O3). */

import { compilePermissions, type PermissionLayer, type RemoteConfig } from "../../manifests/mod.ts";
import { matchesGlob } from "../policy/glob.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** A host and its name in `bascule.json`. */
export interface Remote {
  readonly name: string;
  readonly config: RemoteConfig;
}

/**
 * Returns the host that the tool declares, else the first host that names the tool, else the first that serves all tools; or the reason if
 * none matches.
 */
export function chooseRemote(
  tool: Pick<RegisteredTool, "name" | "qualifiedName" | "binding">,
  remotes: Readonly<Record<string, RemoteConfig>>,
): Remote | string {
  const { binding } = tool;
  if (binding.kind === "remote") return { name: new URL(binding.url).host, config: binding };
  const all = Object.entries(remotes).map(([name, config]): Remote => ({ name, config }));
  const isNamed = (pattern: string): boolean => pattern === tool.name || matchesGlob(pattern, tool.qualifiedName);
  const found = all.find(({ config }) => config.tools?.some(isNamed) === true) ?? all.find(({ config }) => config.tools === undefined);
  if (found !== undefined) return found;
  return all.length === 0
    ? `its route is "remote", but bascule.json lists no host in "remotes" (docs/remote.md)`
    : `its route is "remote", but none of ${all.map(({ name }) => name).join(", ")} in "remotes" of bascule.json serves it (add it to their "tools")`;
}

/** Returns the layer that grants the host itself and the non-public addresses that its name may resolve to. */
export function addressesLayer({ name, config }: Remote): PermissionLayer {
  const { hostname, port, protocol } = new URL(config.url);
  const host = `${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`;
  const permissions = compilePermissions({ net: [host, ...(config.addresses ?? [])] }, { base: "/" });
  return { name: `remotes.${name}`, permissions, unnamed: "none", otherwise: "denied" };
}
