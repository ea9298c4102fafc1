/** `bascule client-config`: what to write into an MCP client's settings so that it starts `bascule mcp` for this project. */

import { nearestName } from "../../../tools/nearest.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { CLIENTS, type ServerStart } from "../mcp-clients.ts";

export const clientConfigCommand: Command = {
  name: "client-config",
  summary: "Print how to connect an MCP client to this project",
  usage: "client-config [client]",
  words: [CLIENTS.map(({ name }) => name)],
  details: [
    `Knows ${CLIENTS.map(({ name }) => name).join(", ")}; without a name it prints all of them.`,
    "Nothing is written: the lines are for you to put where they say.",
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
  return usageError(`There is no MCP client "${wanted}" that this command knows`, [
    near === undefined ? `It knows ${names.join(", ")}` : `Did you mean ${near}?`,
  ]);
}
