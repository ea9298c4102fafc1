/** Opens a host in this process for the duration of a command. */

import { callablesOf, type Permissions, qualifiedName } from "../../../manifests/mod.ts";
import type { HostEvent } from "../../audit/events.ts";
import { createOperations } from "../host-operations.ts";
import type { ClientOperations, Operations } from "../operations.ts";
import { createHost } from "../../host/host.ts";
import type { Host } from "../../host/host-interface.ts";
import type { McpActs } from "../../sources/mcp/mod.ts";
import type { LearningOptions } from "../../plugins/learn/learning-policy.ts";
import type { ConsentMode } from "../../plugins/consent/change.ts";
import type { CommandContext } from "./command.ts";
import { isFrozenRun } from "./frozen-flag.ts";
import { isolationOfRun } from "./isolation-flag.ts";
import { withProgress } from "./long-work.ts";
import { pluginRoots } from "./plugin-roots.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import { createTerminalLog } from "./terminal-log.ts";
import { noteWithheld } from "./trust.ts";
import { VERSION } from "../../primitives/version.ts";

/** A host that this process owns. */
export interface LocalHost {
  /** The host itself, for doors that need more than the user's operations. */
  readonly host: Host;
  /** Operations of the user at this terminal. */
  readonly operations: Operations;
  /** Opens a separate session for another client. */
  openSession(): ClientOperations;
  /** Sets the address of the console in the status of all clients. */
  serveAt(url: string): void;
  readonly definitions: Host["definitions"];
  readonly mcp: Pick<McpActs, "mcpServers" | "acceptMcpTools">;
  /** Subscribes to events from now on. */
  events(): AsyncIterator<HostEvent>;
  /** Waits for running calls, then closes the host. */
  close(): Promise<void>;
}

/** Options of a local host. */
interface LocalHostOptions {
  /** Watch files for changes until the host is closed. */
  readonly watch?: boolean;
  /** Which plugin changes need consent. Default: `fluent`, as for an author. */
  readonly consent?: ConsentMode;
  /** Count calls for `/metrics`. */
  readonly telemetry?: true;
  /** The only tool that will be called. The code of plugins without this tool is not loaded. */
  readonly onlyTool?: string;
  /** Connect to the project's MCP servers. Default: the value of `watch`. */
  readonly mcp?: boolean | { readonly only: string };
  /** Observe the acts of one plugin, within a maximum. */
  readonly learning?: LearningOptions & { readonly publish: (event: HostEvent) => void };
}

/** @param oneRun permissions of this run for every plugin; their denials take precedence over grants */
export async function openLocalHost(context: CommandContext, oneRun: Permissions, options: LocalHostOptions = {}): Promise<LocalHost> {
  const { platform, project, output } = context;
  const { watch = false, learning } = options;
  const plugins = await existing(context, await pluginRoots(platform, project));
  const host = await withProgress(context, "Loading plugins", () =>
    createHost({
      platform,
      plugins,
      watch,
      // A call that goes on would end with the command, and have the permissions of this run.
      resume: watch,
      // A call finds a worker. Other commands need one only if an image is not in the cache.
      warmWorkers: watch ? "spare" : options.onlyTool === undefined ? "none" : "first",
      ...(options.onlyTool !== undefined && { loadsAtOnce: hasTool(options.onlyTool) }),
      // Without a path, the host watches for a new bascule.json in the working directory.
      ...(project.configFile !== undefined && { config: project.configFile }),
      trust: "agreed",
      undo: true,
      ...(options.telemetry && { telemetry: true }),
      // A short-lived host writes the lock file only for explicit acts of the user.
      consent: { mode: options.consent ?? "fluent", lock: true, keep: watch, frozen: isFrozenRun(context.options) },
      ...isolationOfRun(context.options),
      // Keep a journal also in a project without a bascule.json. If there is one, it decides.
      events: { ...(project.configFile === undefined && { store: true }), ...(learning && { publish: learning.publish }) },
      ...(learning && { learning }),
      mcpServers: options.mcp ?? watch,
      ...(Object.keys(oneRun).length === 0 ? {} : { grants: { "*": oneRun } }),
      logger: createTerminalLog({ output, level: watch ? "info" : "warn", ...(watch && { now: platform.clock.now }) }),
    }),
  );
  // Other commands show trust notices together with the status.
  if (options.onlyTool !== undefined) noteWithheld(context, host.places.trust);
  const about: { readonly version: string; readonly pid: number; url?: string } = { version: VERSION, pid: platform.environment.pid };
  const openSession = (): ClientOperations =>
    createOperations({
      host,
      files: platform.files,
      slices: platform.slices,
      session: host.session({ door: "cli" }),
      about,
      ...(!watch && { unattended: "refuse" as const }),
    });
  return {
    host,
    operations: openSession(),
    openSession,
    serveAt: (url) => void (about.url = url),
    definitions: host.definitions,
    mcp: host,
    events: () => host.events[Symbol.asyncIterator](),
    close: () => host.close(),
  };
}

/** Returns the roots that exist. Missing ones are not created, because most commands only read. */
async function existing({ platform }: CommandContext, roots: readonly string[]): Promise<readonly string[]> {
  const there: string[] = [];
  for (const root of roots) if ((await platform.files.stat(root)) !== undefined) there.push(root);
  return there;
}

/** @param tool bare or qualified name */
function hasTool(tool: string): (plugin: PluginVersion) => boolean {
  return ({ name, manifest }) => callablesOf(manifest).some((own) => own.name === tool || qualifiedName(name, own.name) === tool);
}
