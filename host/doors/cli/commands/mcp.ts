/** `bascule mcp`: serves the project's plugins over stdin and stdout to the MCP client that started it. */

import { aborted } from "../../../primitives/until-aborted.ts";
import { openSocketDoor, type SocketDoor } from "../../socket/socket.ts";
import { FileError } from "../../../platform/platform.ts";
import type { HostSessionOptions } from "../../../dispatch/sessions.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { FROZEN_OPTION } from "../frozen-flag.ts";
import { ISOLATION_OPTION } from "../isolation-flag.ts";
import { type LocalHost, openLocalHost } from "../local-host.ts";
import { absolutePath } from "../paths.ts";
import { RUN_OPTIONS } from "../permission-flags.ts";
import { permissionsOfRun } from "../permission-set.ts";
import { findProject } from "../project.ts";
import { CONTEXT_OPTIONS, requestContext } from "../request-context.ts";
import { noteWithheld } from "../trust.ts";
import { serveCommand } from "./serve.ts";

export const mcpCommand: Command = {
  name: "mcp",
  summary: "Serve the project's plugins to an MCP client over stdin and stdout",
  usage: "mcp",
  details: [
    "MCP clients start this command; client-config prints the settings for them.",
    "Supports the MCP revisions 2026-07-28, 2025-11-25, 2025-06-18 and older. Logs go to stderr.",
    "With --http, serves at /mcp of the server that serve starts, with its tokens.",
    "Confirmations are sent to the client if it supports them (with --http, if its token has the scope confirm). Otherwise approve answers them.",
    "A plugin update that requests more permissions waits until you accept it.",
  ],
  examples: ["mcp", "mcp --project ~/work/notes --role reader", "mcp --read-only", "mcp --http --port=8080"],
  positionals: { min: 0, max: 0 },
  options: [
    { name: "project", value: "folder", about: "The project's folder (default: the working directory)" },
    { name: "http", about: "Serve over HTTP, as serve does" },
    { name: "port", value: "number", about: "With --http: the port to listen on" },
    ...CONTEXT_OPTIONS,
    ...RUN_OPTIONS,
    ISOLATION_OPTION,
    FROZEN_OPTION,
  ],
  run: mcp,
};

async function mcp(given: CommandContext): Promise<number> {
  if (given.options.has("http")) return await serveCommand.run(await inProject(given));
  if (given.options.has("port"))
    throw usageError('Option "--port" needs --http', [`Example: ${given.output.program} mcp --http --port=7420`]);
  // Take over stdout first: from here on only protocol messages may be written to it.
  const connection = given.platform.terminal.lines();
  const context = await inProject(given);
  const { platform, options, signal } = context;
  const oneRun = await permissionsOfRun(options, platform);
  const host = await openLocalHost(context, oneRun, { watch: true, consent: "strict" });
  noteWithheld(context, host.host.places.trust);
  let approvals: SocketDoor | undefined;
  try {
    approvals = await openApprovals(context, host);
    const { serveMcpLines } = await import("../../mcp/mod.ts");
    const serving = serveMcpLines(connection, {
      host: host.host,
      platform,
      session: sessionOf(context),
      program: context.output.program,
      // Without the socket, `approve` cannot reach this host, so calls that need confirmation are refused.
      ...(approvals === undefined && { unattended: "refuse" as const }),
    });
    await aborted(AbortSignal.any([signal, serving.closed]));
    await serving.close();
  } finally {
    await host.close();
    await approvals?.close();
  }
  return EXIT.ok;
}

/** Applies `--project`. MCP clients start the command in an arbitrary working directory. */
async function inProject(context: CommandContext): Promise<CommandContext> {
  const folder = context.options.value("project");
  if (folder === undefined) return context;
  const { environment } = context.platform;
  const platform = { ...context.platform, environment: { ...environment, cwd: absolutePath(folder, environment.cwd) } };
  return { ...context, platform, project: await findProject(platform, context.options.value("config")) };
}

function sessionOf({ options }: CommandContext): HostSessionOptions {
  const { role, ...task } = requestContext(options).context ?? {};
  return { ...(role !== undefined && { role }), context: task, door: "mcp" };
}

/** Opens the socket for `bascule approve` and similar commands. @returns undefined if it cannot be opened, as when another host has it */
async function openApprovals({ platform, project, output }: CommandContext, host: LocalHost): Promise<SocketDoor | undefined> {
  try {
    return await openSocketDoor({ platform, stateDirectory: project.stateDirectory, open: () => host.openSession() });
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const why =
      error.code === "already_exists" ? "Another host serves this project's commands" : `Cannot serve other commands (${error.message})`;
    output.note(`${why}: confirmations of this host go through the client only`);
    return undefined;
  }
}
