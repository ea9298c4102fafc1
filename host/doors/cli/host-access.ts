/** Gives a command access to a host: the running host of the project, or a local one for the duration of the command. */

import type { Permissions } from "../../../manifests/mod.ts";
import { defined } from "../../primitives/defined.ts";
import { connectToHost } from "../socket/socket-client.ts";
import type { Operations } from "../operations.ts";
import type { ConsentMode } from "../../plugins/consent/change.ts";
import type { ClientContext } from "./command.ts";
import { isFrozenRun } from "./frozen-flag.ts";
import { ISOLATION_OPTION } from "./isolation-flag.ts";
import { pathFrom } from "./paths.ts";

/** Access to a host. */
export interface HostAccess {
  readonly operations: Operations;
  /** True if the host runs in another process. */
  readonly running: boolean;
  close(): Promise<void>;
}

/** Requirements of a command. */
interface AccessOptions {
  /** Permissions for this run only. If any are given, the command uses a local host. */
  readonly oneRun?: Permissions;
  /** The only tool that the command calls. Set only by commands that do not show plugin states. */
  readonly onlyTool?: string;
  /** Whether a local host connects to the project's MCP servers. Default: only if `onlyTool` belongs to one. */
  readonly servers?: boolean | { readonly only: string };
  /** Consent mode of a local host. */
  readonly consent?: ConsentMode;
}

/** Opens a host. Notes on stderr if a running host answers, because its plugins and grants apply then. */
async function openHost(context: ClientContext, options: AccessOptions = {}): Promise<HostAccess> {
  const { platform, project, output } = context;
  const hasPermissions = options.oneRun !== undefined && Object.keys(options.oneRun).length > 0;
  const ownHost = hasPermissions || context.options.has(ISOLATION_OPTION.name) || isFrozenRun(context.options);
  const remote = await connectToHost(platform, project.stateDirectory);
  if (remote && !ownHost) {
    const place = pathFrom(platform.environment.cwd, project.root);
    output.note(output.style.dim(`(using the host running in ${place === "." ? "this folder" : place})`));
    return { operations: remote.operations, running: true, close: () => Promise.resolve(remote.close()) };
  }
  if (remote) {
    remote.close();
    output.note(output.style.dim("(using a separate host, because flags apply to this run only; another host is running here)"));
  }
  const { oneRun = {}, onlyTool, consent, servers = serversFor(onlyTool ?? "") } = options;
  if (onlyTool !== undefined && servers === false && !context.options.has(ISOLATION_OPTION.name)) platform.startAhead();
  // Loaded by who needs it: a running host answers without.
  const { openLocalHost } = await import("./local-host.ts");
  const local = await openLocalHost({ ...context, platform: await context.whole() }, oneRun, {
    mcp: servers,
    ...defined({ onlyTool, consent }),
  });
  return { operations: local.operations, running: false, close: () => local.close() };
}

/** Returns which MCP servers to start for a tool's name: one, none, or all if the name does not tell. */
export function serversFor(name: string): boolean | { readonly only: string } {
  const only = /^mcp__([^.]+)\./.exec(name)?.[1];
  return only === undefined ? name.startsWith("mcp__") : { only };
}

/** Opens a host, runs `use`, and always closes the host. */
export async function withHost<T>(context: ClientContext, use: (host: HostAccess) => Promise<T>, options: AccessOptions = {}): Promise<T> {
  const host = await openHost(context, options);
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}
