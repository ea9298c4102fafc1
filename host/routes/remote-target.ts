/** To which host a call goes, and at which addresses it may be found (SPEC O3). */

import { compilePermissions, type PermissionLayer, type RemoteConfig } from "../../manifests/mod.ts";
import { matchesGlob } from "../policy/glob.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** A host, and what `bascule.json` calls it. */
export interface Remote {
  readonly name: string;
  readonly config: RemoteConfig;
}

/** That of a tool that declares its own, else the first that names the tool, else the first that serves all; or why there is none. */
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
    ? `its route is "remote", and bascule.json names no host in "remotes" (docs/remote.md)`
    : `its route is "remote", and none of ${all.map(({ name }) => name).join(", ")} in "remotes" of bascule.json serves it (add it to their "tools")`;
}

/** The host itself, and the addresses that are not public but its name may lead to. */
export function addressesLayer({ name, config }: Remote): PermissionLayer {
  const { hostname, port, protocol } = new URL(config.url);
  const host = `${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`;
  const permissions = compilePermissions({ net: [host, ...(config.addresses ?? [])] }, { base: "/" });
  return { name: `remotes.${name}`, permissions, unnamed: "none", otherwise: "denied" };
}
