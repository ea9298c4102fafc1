/** `serve --join`: makes the host a member of a cluster (SPEC CL1). */

import { DEFAULT_CLUSTER } from "../../cluster/names.ts";
import { checkCluster, isClusterUrl } from "../../../manifests/mod.ts";
import type { Host } from "../../host/host-interface.ts";
import { errorText } from "../../platform/error-text.ts";
import type { ClusterDoor } from "../cluster/door.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";

/** The cluster that a host has joined. */
export interface JoinedCluster {
  readonly name: string;
  readonly url: string;
  readonly door: ClusterDoor;
}

/** Reads the options `--join` and `--cluster`. @throws {CliError} if one is wrong */
export function clusterOption(options: CommandContext["options"]): { readonly url: string; readonly name: string } | undefined {
  const url = options.value("join");
  if (url === undefined) {
    if (options.has("cluster")) throw usageError('Option "--cluster" needs "--join"', ["--join=nats://127.0.0.1:4222 --cluster=farm"]);
    return undefined;
  }
  const name = options.value("cluster") ?? DEFAULT_CLUSTER;
  const wrongName = checkCluster(name);
  if (wrongName !== undefined) throw usageError(`Option "--cluster": ${wrongName}`);
  if (!isClusterUrl(url) || !URL.canParse(url)) throw usageError(`Option "--join" must be a nats: or tls: URL, not "${url}"`);
  const { username, password } = new URL(url);
  // The message does not repeat the URL, which is secret then.
  if (username !== "" || password !== "")
    throw usageError('Option "--join" contains credentials: leave them out, hosts log in with their own keys');
  return { url, name };
}

/** @throws {CliError} if an option is wrong, or the server does not answer */
export async function joinCluster(
  { platform, options }: Pick<CommandContext, "platform" | "options">,
  host: Host,
): Promise<JoinedCluster | undefined> {
  const asked = clusterOption(options);
  if (asked === undefined) return undefined;
  const { url, name } = asked;
  // Loaded here: nothing of NATS is loaded without the option.
  const { openClusterDoor } = await import("../cluster/door.ts");
  try {
    return { name, url, door: await openClusterDoor({ host, platform, url, cluster: name }) };
  } catch (error) {
    throw new CliError("unavailable", `Cannot join the cluster "${name}": ${errorText(error)}`, {
      exitCode: EXIT.unavailable,
      hints: ["The server needs JetStream: nats-server --jetstream (docs/cluster.md)"],
    });
  }
}
