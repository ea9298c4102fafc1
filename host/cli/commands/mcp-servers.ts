/** `bascule mcp-servers`: the MCP servers whose tools the project offers, and what they say now (SPEC K3). */

import { connectToHost } from "../../doors/socket-client.ts";
import type { McpServerStatus } from "../../sources/mcp/mod.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { table } from "../help.ts";
import { type LocalHost, openLocalHost } from "../local-host.ts";
import { nearestName } from "../../nearest.ts";
import { count, printable, shorten } from "../text.ts";

export const mcpServersCommand: Command = {
  name: "mcp-servers",
  summary: "Show MCP servers and their tools, and accept what those say now",
  usage: "mcp-servers [accept <server> [tool...]]",
  words: [["accept"], [], "tool"],
  details: [
    "Servers are listed in bascule.json under mcpServers. What their tools say is pinned when a server is first seen: a tool that is new,",
    "or says something else, is not offered until it is accepted.",
  ],
  examples: ["mcp-servers", "mcp-servers accept github", "mcp-servers accept github create_issue"],
  positionals: { min: 0, max: Number.MAX_SAFE_INTEGER },
  options: [],
  run: mcpServers,
};

async function mcpServers(context: CommandContext): Promise<number> {
  const { output, positionals } = context;
  const [verb, name, ...tools] = positionals;
  if (verb !== undefined && (verb !== "accept" || name === undefined))
    throw usageError(`There is no "mcp-servers ${verb}"`, [`Like this: ${output.program} mcp-servers accept <server>`]);
  const host = await openLocalHost(context, {}, { mcp: true });
  try {
    const accepted = name === undefined ? undefined : await accept(context, host, { name, tools });
    const servers = host.mcp.mcpServers();
    if (accepted === undefined) for (const line of servers.flatMap((server) => serverLines(server, context))) output.line(line);
    if (servers.length === 0) output.line("bascule.json lists no MCP server");
    output.document({ ok: true, servers, ...(accepted && { accepted }) });
    return EXIT.ok;
  } finally {
    await host.close();
  }
}

async function accept(
  { platform, project, output }: CommandContext,
  host: LocalHost,
  { name, tools }: { readonly name: string; readonly tools: readonly string[] },
): Promise<readonly string[]> {
  const servers = host.mcp.mcpServers();
  const server = servers.find((known) => known.name === name);
  if (server === undefined) {
    const near = nearestName(
      name,
      servers.map((known) => known.name),
    );
    throw usageError(`There is no MCP server "${name}"`, near === undefined ? [] : [`Did you mean ${near}?`]);
  }
  if (server.state !== "connected") throw usageError(`The MCP server "${name}" is not connected: ${server.problem ?? "it did not answer"}`);
  const accepted = await host.mcp.acceptMcpTools(name, tools.length === 0 ? undefined : tools);
  output.line(accepted.length === 0 ? "There was nothing to accept" : `Accepted: ${accepted.join(", ")}`);
  const running = await connectToHost(platform, project.stateDirectory);
  if (running !== undefined) {
    await running.operations.reload();
    running.close();
  }
  return accepted;
}

function serverLines({ name, state, problem, tools, refused }: McpServerStatus, { output }: CommandContext): readonly string[] {
  const { style } = output;
  const color = state === "connected" ? style.green : style.red;
  const why = problem === undefined || state === "connected" ? "" : `  ${shorten(printable(problem), 200)}`;
  const hidden = new Set(refused.map(({ tool }) => `mcp__${name}.${tool}`));
  const rows = [
    ...tools.filter((tool) => !hidden.has(tool)).map((tool): readonly [string, string] => [tool, "offered"]),
    ...refused.map(({ tool, reason }): readonly [string, string] => [`mcp__${name}.${tool}`, style.yellow(printable(reason))]),
  ];
  return [`${style.bold(name)}  ${color(state)}  ${count(tools.length, "tool")}${why}`, ...table(rows, style)];
}
