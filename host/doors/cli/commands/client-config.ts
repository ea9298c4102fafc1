/** `bascule client-config`: prints the settings with which an MCP client starts `bascule mcp` for this project. */

import { nearestName } from "../../../tools/nearest.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { CLIENTS, type ServerStart } from "../mcp-clients.ts";

export const clientConfigCommand: Command = {
  name: "client-config",
  summary: "Print the settings that connect an MCP client to this project",
  usage: "client-config [client]",
  words: [CLIENTS.map(({ name }) => name)],
  details: [
    `Clients: ${CLIENTS.map(({ name }) => name).join(", ")}. Without a name, prints the settings of all of them.`,
    "Writes no files: copy the printed lines to the place that they name.",
  ],
  examples: ["client-config claude-code", "client-config cursor --json"],
  positionals: { min: 0, max: 1 },
  options: [],
  run: clientConfig,
};

function clientConfig({ platform, project, positionals, output }: CommandContext): Promise<number> {
  const [wanted] = positionals;
  const [command = "bascule", ...started] = platform.environment.command;
  const server: ServerStart = { name: "bascule", command, args: [...started, "mcp", "--project", project.root] };
  const chosen = CLIENTS.filter(({ name }) => wanted === undefined || name === wanted);
  if (chosen.length === 0) throw unknownClient(wanted ?? "");
  const settings = chosen.map((client) => ({ client: client.name, ...client.setting(server) }));
  for (const { client, where, text } of settings) {
    output.line(`${output.style.bold(client)}: ${where}`);
    output.line(`${text}\n`);
  }
  output.document({ ok: true, server, clients: settings });
  return Promise.resolve(EXIT.ok);
}

function unknownClient(wanted: string): Error {
  const names = CLIENTS.map(({ name }) => name);
  const near = nearestName(wanted, names);
  return usageError(`Unknown MCP client "${wanted}"`, [near === undefined ? `Choose from ${names.join(", ")}` : `Did you mean ${near}?`]);
}
