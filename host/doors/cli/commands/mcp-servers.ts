/** `bascule mcp-servers`: shows the project's MCP servers and their tools, and accepts changed tools (SPEC K3). */

import type { McpServerStatus } from "../../../sources/mcp/mod.ts";
import { McpToolsChanged } from "../../../sources/mcp/offer.ts";
import { confirmAct, showPages, YES_OPTION } from "../ask.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { measureText } from "../../../plugins/consent/change-text.ts";
import { changeLines, shortDigest } from "../consent-text.ts";
import { EXIT } from "../exit-codes.ts";
import { nameTable } from "../table.ts";
import { type LocalHost, openLocalHost } from "../local-host.ts";
import { reloadRunning } from "../reload-running.ts";
import { didYouMean } from "../did-you-mean.ts";
import { count, printable, shorten } from "../../../primitives/text.ts";
import { refuseWithheld } from "../trust.ts";

const VERBS: readonly string[] = ["accept", "login", "logout"];

export const mcpServersCommand: Command = {
  name: "mcp-servers",
  summary: "Show MCP servers and their tools, and accept changed tools",
  usage: "mcp-servers [accept <server> [tool...] | login <server> | logout <server>]",
  words: [VERBS, [], "tool"],
  details: [
    "Servers are listed in bascule.json under mcpServers. Their tool definitions are pinned in bascule.lock when a server first connects. A new or changed tool is not offered until you accept it.",
    "accept shows what changed, asks for confirmation, and accepts exactly what it showed.",
    "login is for HTTP servers that require it: it prints the address to open, and keeps the tokens in .bascule, readable only by you.",
  ],
  examples: ["mcp-servers", "mcp-servers login linear", "mcp-servers accept github", "mcp-servers accept github create_issue"],
  positionals: { min: 0, max: Number.MAX_SAFE_INTEGER },
  options: [{ name: "digest", value: "hex", about: "Accept only tools whose digest starts with this, without confirmation" }, YES_OPTION],
  run: mcpServers,
};

async function mcpServers(context: CommandContext): Promise<number> {
  const { output, positionals } = context;
  const [verb, name, ...tools] = positionals;
  if (verb !== undefined && !VERBS.includes(verb))
    throw usageError(`Unknown subcommand "mcp-servers ${verb}"`, [`Choose from ${VERBS.join(", ")}`]);
  if (verb !== undefined && name === undefined) throw usageError("Missing <server>", [`${output.program} mcp-servers lists the servers`]);
  if (verb === "login" || verb === "logout") return await (await import("../mcp-login.ts")).mcpLogin(context, verb, name ?? "");
  const host = await openLocalHost(context, {}, { mcp: true });
  try {
    const outcome = name === undefined ? undefined : await accept(context, host, { name, tools });
    const { accepted } = outcome ?? {};
    const servers = host.mcp.mcpServers();
    if (accepted === undefined) for (const line of servers.flatMap((server) => serverLines(server, context))) output.line(line);
    const withheld = (host.host.places.trust?.withheld() ?? []).flatMap(
      ({ name: trustRequest }) => /^mcpServers\.(.*)$/u.exec(trustRequest)?.[1] ?? [],
    );
    for (const server of withheld) output.line(withheldLine(server, context));
    if (servers.length + withheld.length === 0) output.line("No MCP servers in bascule.json");
    output.document({ ok: outcome?.declined !== true, servers, ...(accepted && { accepted }), ...(withheld.length > 0 && { withheld }) });
    return outcome?.declined === true ? EXIT.denied : EXIT.ok;
  } finally {
    await host.close();
  }
}

/** Outcome of `mcp-servers accept`. */
interface Accepted {
  readonly accepted: readonly string[];
  readonly declined?: true;
}

async function accept(
  context: CommandContext,
  host: LocalHost,
  { name, tools }: { readonly name: string; readonly tools: readonly string[] },
): Promise<Accepted> {
  const { output, options } = context;
  const servers = host.mcp.mcpServers();
  const server = servers.find((known) => known.name === name);
  if (server === undefined) {
    refuseWithheld(context, host.host.places.trust, name);
    const names = servers.map((known) => known.name);
    throw usageError(`Unknown MCP server "${name}"`, [didYouMean(name, names, `${output.program} mcp-servers lists the servers`)]);
  }
  if (server.state !== "connected") throw usageError(`The MCP server "${name}" is not connected: ${server.problem ?? "no answer"}`);
  const { waiting } = server;
  const wanted = (waiting?.tools ?? []).filter((tool) => tools.length === 0 || tools.includes(tool));
  if (waiting === undefined || wanted.length === 0) {
    output.line("Nothing to accept");
    return { accepted: [] };
  }
  const changes = waiting.changes.filter((change) => !("tool" in change) || wanted.includes(change.tool ?? ""));
  output.line(`${output.style.bold(name)} ${output.style.dim(`(${shortDigest(waiting.digest)})`)} changed its tools:`);
  await showPages(
    context,
    changeLines(changes, output.style, measureText).map((line) => `  ${line}`),
  );
  const digest = options.value("digest");
  if (digest !== undefined && !(digest.length >= MIN_DIGEST && waiting.digest.startsWith(digest)))
    throw new CliError("changed", `The waiting digest is ${shortDigest(waiting.digest)}, not "${digest}"`, { exitCode: EXIT.denied });
  if (digest === undefined && !(await confirmAct(context, `Accept ${count(wanted.length, "tool")}?`))) {
    output.line("Not accepted");
    return { accepted: [], declined: true };
  }
  const accepted = await acceptShown(context, host, { name, tools: wanted, digest: waiting.digest });
  output.line(`Accepted: ${accepted.join(", ")}`);
  await reloadRunning(context);
  return { accepted };
}

/** Minimum length of `--digest` in hex digits. A shorter prefix can be matched by definitions built for that purpose. */
const MIN_DIGEST = 12;

async function acceptShown(
  { output }: CommandContext,
  host: LocalHost,
  { name, tools, digest }: { readonly name: string; readonly tools: readonly string[]; readonly digest: string },
): Promise<readonly string[]> {
  try {
    return await host.mcp.acceptMcpTools(name, tools, digest);
  } catch (error) {
    if (!(error instanceof McpToolsChanged)) throw error;
    throw new CliError("changed", error.message, { hints: [`${output.program} mcp-servers accept ${name}`] });
  }
}

/** Formats a server that the user has not allowed to start. */
function withheldLine(server: string, { output }: CommandContext): string {
  const { style, program } = output;
  return `${style.bold(server)}  ${style.yellow("not allowed on this machine")}  ${program} trust mcpServers.${server} shows it and asks`;
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
  return [
    `${style.bold(name)}  ${color(state)}  ${count(tools.length, "tool")}${why}`,
    ...nameTable(rows, style, { columns: output.room }),
  ];
}
