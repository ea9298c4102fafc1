/** Collects facts about the project for `bascule doctor`: its files, the running host, and plugins with problems. */

import { problemToText } from "../../../manifests/mod.ts";
import type { HostStatus, PluginView } from "../operations.ts";
import { connectToHost } from "../socket/socket-client.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { findPlugins, type NamedFolder, shownFolder } from "./find-plugins.ts";
import { openLocalHost } from "./local-host.ts";
import { count } from "../../primitives/text.ts";

/** Time in milliseconds after which a running host counts as silent. */
const HOST_MS = 3_000;

/** Facts about the project, as data and as text. */
interface ProjectFacts {
  readonly root: string;
  readonly configFile?: string;
  /** The running host; `silent` if it listens but does not answer. */
  readonly host?: Pick<HostStatus, "pid" | "version" | "plugins" | "tools"> | "silent";
  readonly plugins: number;
  readonly lines: { readonly project: string; readonly host: string };
  readonly problems: readonly string[];
}

export async function projectFacts(context: CommandContext): Promise<ProjectFacts> {
  const { project, output } = context;
  const [host, folders] = [await runningHost(context), await pluginFolders(context)];
  const status = host === "silent" ? undefined : host?.status;
  const waiting =
    host === "silent" ? [] : (host?.plugins ?? (await pluginsHere(context, folders))).filter(({ held }) => held !== undefined);
  const bad = folders.filter(({ manifest }) => !manifest.ok);
  const config = project.configFile ?? "no bascule.json";
  return {
    root: project.root,
    ...(project.configFile !== undefined && { configFile: project.configFile }),
    ...(host !== undefined && { host: status === undefined ? ("silent" as const) : pick(status) }),
    plugins: folders.length,
    lines: {
      project: `${project.root}  ${config}; ${count(folders.length, "plugin")}`,
      host: status === undefined ? "not running" : hostText(status),
    },
    problems: [
      ...bad.map((folder) => `Invalid manifest in ${shownFolder(context, folder)} (${output.program} check shows details)`),
      ...waiting.map(({ name }) => `Plugin "${name}" waits to be accepted (${output.program} accept ${name})`),
      ...(host === "silent" ? [SILENT] : []),
      ...(status?.grantProblems ?? []).map((problem) => `.bascule/grants.json: ${problemToText(problem)}`),
    ],
  };
}

export const SILENT: string = `The running host did not answer within ${HOST_MS / 1_000} seconds`;

export function hostText({ plugins, tools, pid }: HostStatus): string {
  return `serves ${count(plugins, "plugin")}, ${count(tools, "tool")}  process ${pid}`;
}

function pick({ pid, version, plugins, tools }: HostStatus): Exclude<ProjectFacts["host"], "silent" | undefined> {
  return { pid, version, plugins, tools };
}

interface RunningHost {
  readonly status: HostStatus;
  readonly plugins: readonly PluginView[];
}

/** Returns the host that serves the project's folder; `silent` if it listens but does not answer. */
export async function runningHost({ platform, project }: CommandContext): Promise<RunningHost | "silent" | undefined> {
  const remote = await connectToHost(platform, project.stateDirectory);
  if (remote === undefined) return undefined;
  const { promise: late, resolve } = Promise.withResolvers<"silent">();
  const stop = platform.clock.after(HOST_MS, () => resolve("silent"));
  const facts = async (): Promise<RunningHost> => ({
    status: await remote.operations.status(),
    plugins: await remote.operations.list(),
  });
  try {
    return await Promise.race([facts(), late]);
  } finally {
    stop();
    remote.close();
  }
}

/** Loads the plugins as `accept` does. Without plugin folders no host is opened. */
async function pluginsHere(context: CommandContext, folders: readonly NamedFolder[]): Promise<readonly PluginView[]> {
  if (folders.length === 0) return [];
  const local = await openLocalHost(context, {}, { consent: "strict", mcp: false });
  try {
    return await local.operations.list();
  } finally {
    await local.close();
  }
}

async function pluginFolders(context: CommandContext): Promise<readonly NamedFolder[]> {
  try {
    return await findPlugins(context, []);
  } catch (error) {
    if (error instanceof CliError && error.code === "not_found") return [];
    throw error;
  }
}
