/** How a command gets at a host: the one that serves the project, or one of its own for as long as it runs. */

import type { Permissions } from "../../../manifests/mod.ts";
import { connectToHost } from "../socket/socket-client.ts";
import type { Operations } from "../operations.ts";
import type { ConsentMode } from "../../plugins/consent/changes.ts";
import type { CommandContext } from "./command.ts";
import { isFrozenRun } from "./frozen-flag.ts";
import { ISOLATION_OPTION } from "./isolation-flag.ts";
import { openLocalHost } from "./local-host.ts";
import { pathFrom } from "./paths.ts";

/** A host to ask. */
export interface HostAccess {
  readonly operations: Operations;
  /** True if another process answers. */
  readonly running: boolean;
  close(): Promise<void>;
}

/** What the command wants of it. */
export interface AccessOptions {
  /** Permissions for this run only: they need a host of the command's own. */
  readonly oneRun?: Permissions;
  /** The command calls this tool once and shows no state of plugins. */
  readonly onlyTool?: string;
  /** A host of the command's own connects to the project's MCP servers. Default: where the one tool is one of theirs. */
  readonly servers?: boolean | { readonly only: string };
  /** Of a host of the command's own. */
  readonly consent?: ConsentMode;
}

/** Says on stderr when a running host answers, so that nobody wonders whose plugins and grants these are. */
export async function openHost(context: CommandContext, options: AccessOptions = {}): Promise<HostAccess> {
  const { platform, project, output } = context;
  const hasPermissions = options.oneRun !== undefined && Object.keys(options.oneRun).length > 0;
  const ownHost = hasPermissions || context.options.has(ISOLATION_OPTION.name) || isFrozenRun(context.options);
  const remote = await connectToHost(platform, project.stateDirectory);
  if (remote && !ownHost) {
    const place = pathFrom(platform.environment.cwd, project.root);
    output.note(output.style.dim(`(answered by the host that runs in ${place === "." ? "this folder" : place})`));
    return { operations: remote.operations, running: true, close: () => Promise.resolve(remote.close()) };
  }
  if (remote) {
    remote.close();
    output.note(output.style.dim("(its flags hold for this run only: it has a host of its own, beside the one that runs here)"));
  }
  const { oneRun = {}, onlyTool, consent, servers = serversFor(onlyTool ?? "") } = options;
  const local = await openLocalHost(context, oneRun, {
    mcp: servers,
    ...(onlyTool !== undefined && { onlyTool }),
    ...(consent && { consent }),
  });
  return { operations: local.operations, running: false, close: () => local.close() };
}

/** Which of the project's MCP servers a name of a tool is about: another one is not started for it. All where that cannot be told. */
export function serversFor(name: string): boolean | { readonly only: string } {
  const only = /^mcp__([^.]+)\./.exec(name)?.[1];
  return only === undefined ? name.startsWith("mcp__") : { only };
}

/** Opens a host for `use` and closes it whatever happens. */
export async function withHost<T>(context: CommandContext, use: (host: HostAccess) => Promise<T>, options: AccessOptions = {}): Promise<T> {
  const host = await openHost(context, options);
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}
