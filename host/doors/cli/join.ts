/** `serve --join`: makes the host a member of a cluster (SPEC CL1). */

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

const DEFAULT_NAME = "default";

/** @throws {CliError} if an option is wrong, or the server does not answer */
export async function joinCluster(
  { platform, options }: Pick<CommandContext, "platform" | "options">,
  host: Host,
): Promise<JoinedCluster | undefined> {
  const url = options.value("join");
  if (url === undefined) {
    if (options.has("cluster"))
      throw usageError('Option "--cluster" needs "--join"', ["serve --join=nats://127.0.0.1:4222 --cluster=farm"]);
    return undefined;
  }
  const name = options.value("cluster") ?? DEFAULT_NAME;
  const wrongName = checkCluster(name);
  if (wrongName !== undefined) throw usageError(`Option "--cluster": ${wrongName}`);
  if (!isClusterUrl(url) || !URL.canParse(url)) throw usageError(`Option "--join" must be a nats: or tls: URL, not "${url}"`);
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
