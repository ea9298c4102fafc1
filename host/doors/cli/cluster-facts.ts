/** Facts about the clusters of a project, for `bascule doctor`. */

import { isClusterUrl, type ProjectConfig } from "../../../manifests/mod.ts";
import { DEFAULT_CLUSTER } from "../../cluster/names.ts";
import type { JournalHead } from "../../cluster/heads.ts";
import { openOwnKey } from "../../cluster/own-key.ts";
import { BusError } from "../../platform/bus/bus-types.ts";
import type { Platform } from "../../platform/platform.ts";
import { clusterKeyFile } from "../../project/places.ts";
import type { SeenCluster } from "../cluster/inspect.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { clusterOption } from "./join.ts";
import { openLocalHost } from "./local-host.ts";
import { openTrusted } from "./trust.ts";

/** Clusters as data and as text. */
interface ClusterFacts {
  /** This host's public key. */
  readonly key: string;
  readonly clusters: readonly SeenCluster[];
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

/** Returns undefined for a project that has nothing to do with clusters; then nothing of them is loaded. */
export async function clusterFacts(context: CommandContext, config: ProjectConfig): Promise<ClusterFacts | undefined> {
  const { platform, project, options } = context;
  const { members, callers } = config.cluster;
  const asked = clusterOption(options);
  const places = [
    ...Object.values(config.remotes).filter(({ url }) => isClusterUrl(url)),
    ...(asked === undefined ? [] : [{ url: asked.url, cluster: asked.name }]),
  ];
  if (places.length + Object.keys(members).length + Object.keys(callers).length === 0) return undefined;
  const identity = await openOwnKey(platform, await clusterKeyFile(platform, await platform.files.realPath(project.root)));
  const wanted = places.length === 0 ? new Map<string, string>() : await sentAway(context);
  const seen = await Promise.all(
    places.map(({ url, cluster = DEFAULT_CLUSTER }) => inspect({ platform, identity, url, cluster, members, wanted })),
  );
  const { clusterLines } = await import("../cluster/inspect.ts");
  return {
    key: identity.publicKey,
    clusters: seen.filter((one) => typeof one !== "string"),
    lines: [`this host's key  ${identity.publicKey}`, ...seen.flatMap((one) => (typeof one === "string" ? [] : clusterLines(one)))],
    problems: seen.flatMap((one) => (typeof one === "string" ? [one] : one.problems)),
  };
}

/** Returns the newest row of this project's journal that the members of the cluster of `--join` have seen. @throws {CliError} */
export async function seenByCluster(context: CommandContext): Promise<(JournalHead & { readonly by: string }) | undefined> {
  const { platform, project } = context;
  const asked = clusterOption(context.options);
  if (asked === undefined) return undefined;
  const { config } = await openTrusted(context);
  const identity = await openOwnKey(platform, await clusterKeyFile(platform, await platform.files.realPath(project.root)));
  const { readHead } = await import("../cluster/inspect.ts");
  try {
    return await readHead({ platform, identity, url: asked.url, cluster: asked.name, members: config().cluster.members });
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    throw new CliError("unavailable", `The cluster "${asked.name}" cannot be reached: ${error.message}`, { exitCode: EXIT.unavailable });
  }
}

async function inspect(
  options: { readonly platform: Platform } & Parameters<typeof import("../cluster/inspect.ts").inspectCluster>[0],
): Promise<SeenCluster | string> {
  const { inspectCluster } = await import("../cluster/inspect.ts");
  try {
    return await inspectCluster(options);
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    return `The cluster "${options.cluster}" cannot be reached: ${error.message}`;
  }
}

/** Returns the plugins that policy sends to another host, by digest. */
async function sentAway(context: CommandContext): Promise<ReadonlyMap<string, string>> {
  const local = await openLocalHost(context, {}, { mcp: false });
  try {
    const sent = local.host.list().filter(({ route }) => route === "remote");
    return new Map(sent.flatMap(({ digest, plugin }) => (digest === undefined || plugin === undefined ? [] : [[digest, plugin]])));
  } finally {
    await local.close();
  }
}
