/** A host in this process, for as long as a command runs. */

import { callablesOf, type Permissions, qualifiedName } from "../../../manifests/mod.ts";
import type { HostEvent } from "../../audit/events.ts";
import { createOperations } from "../host-operations.ts";
import type { ClientOperations, Operations } from "../operations.ts";
import { createHost } from "../../host/host.ts";
import type { Host } from "../../host/host-interface.ts";
import type { McpActs } from "../../sources/mcp/mod.ts";
import type { LearningOptions } from "../../plugins/learn/learning-policy.ts";
import type { ConsentMode } from "../../plugins/consent/changes.ts";
import type { CommandContext } from "./command.ts";
import { isFrozenRun } from "./frozen-flag.ts";
import { isolationOfRun } from "./isolation-flag.ts";
import { pluginRoots } from "./plugin-roots.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import { createTerminalLog } from "./terminal-log.ts";
import { noteWithheld } from "./trust.ts";
import { VERSION } from "../../primitives/version.ts";

/** A host that this process owns. */
export interface LocalHost {
  /** For doors that need more than a person's operations. */
  readonly host: Host;
  /** For the person at this terminal. */
  readonly operations: Operations;
  /** For another client, in a session of its own. */
  openSession(): ClientOperations;
  readonly definitions: Host["definitions"];
  readonly mcp: Pick<McpActs, "mcpServers" | "acceptMcpTools">;
  /** What happens from now on. */
  events(): AsyncIterator<HostEvent>;
  /** Lets running calls end, then ends everything. */
  close(): Promise<void>;
}

/** How the host is to run. */
export interface LocalHostOptions {
  /** Follow changes until it is closed. */
  readonly watch?: boolean;
  /** How much is asked of a person when plugins change. Default `fluent`, as for an author. */
  readonly consent?: ConsentMode;
  /** Counts calls, for `/metrics`. */
  readonly telemetry?: true;
  /** The one tool that will be called: the code of plugins without such a tool is not loaded. */
  readonly onlyTool?: string;
  /** Connect to the project's MCP servers. Default: where it stays. */
  readonly mcp?: boolean | { readonly only: string };
  /** What one plugin does is watched, within a maximum. */
  readonly learning?: LearningOptions & { readonly publish: (event: HostEvent) => void };
}

/** @param oneRun permissions of this run, for every plugin; what they deny, nobody gets. */
export async function openLocalHost(context: CommandContext, oneRun: Permissions, options: LocalHostOptions = {}): Promise<LocalHost> {
  const { platform, project, output } = context;
  const { watch = false, learning } = options;
  const host = await createHost({
    platform,
    plugins: await existing(context, await pluginRoots(platform, project)),
    watch,
    ...(options.onlyTool !== undefined && { loadsAtOnce: hasTool(options.onlyTool) }),
    // Without one, the host waits for one to be written here.
    ...(project.configFile !== undefined && { config: project.configFile }),
    trust: "agreed",
    undo: true,
    ...(options.telemetry && { telemetry: true }),
    // One that is gone at once leaves the lock alone, but for what a person does with it.
    consent: { mode: options.consent ?? "fluent", lock: true, keep: watch, frozen: isFrozenRun(context.options) },
    ...isolationOfRun(context.options),
    // Also of a project without a bascule.json, unless that says otherwise.
    events: { ...(project.configFile === undefined && { store: true }), ...(learning && { publish: learning.publish }) },
    ...(learning && { learning }),
    mcpServers: options.mcp ?? watch,
    ...(Object.keys(oneRun).length === 0 ? {} : { grants: { "*": oneRun } }),
    logger: createTerminalLog({ output, level: watch ? "info" : "warn", ...(watch && { now: platform.clock.now }) }),
  });
  // Others show it with the rest of what a person should know.
  if (options.onlyTool !== undefined) noteWithheld(context, host.places.trust);
  const about = { version: VERSION, pid: platform.environment.pid };
  const openSession = (): ClientOperations =>
    createOperations({
      host,
      files: platform.files,
      slices: platform.slices,
      session: host.session(),
      about,
      ...(!watch && { unattended: "refuse" as const }),
    });
  return {
    host,
    operations: openSession(),
    openSession,
    definitions: host.definitions,
    mcp: host,
    events: () => host.events[Symbol.asyncIterator](),
    close: () => host.close(),
  };
}

/** A command that only looks creates nothing. */
async function existing({ platform }: CommandContext, roots: readonly string[]): Promise<readonly string[]> {
  const there: string[] = [];
  for (const root of roots) if ((await platform.files.stat(root)) !== undefined) there.push(root);
  return there;
}

/** @param tool bare or qualified. */
function hasTool(tool: string): (plugin: PluginVersion) => boolean {
  return ({ name, manifest }) => callablesOf(manifest).some((own) => own.name === tool || qualifiedName(name, own.name) === tool);
}
