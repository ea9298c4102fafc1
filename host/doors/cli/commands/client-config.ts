/** `bascule client-config`: prints or writes the settings with which an MCP client starts `bascule mcp` for this project. */

import { wordMeant } from "../did-you-mean.ts";
import { YES_OPTION } from "../ask.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { CLIENTS, type ServerStart } from "../mcp-clients.ts";
import { restoreClient, writeClient } from "../write-client.ts";

export const clientConfigCommand: Command = {
  name: "client-config",
  summary: "Print or write the settings that connect an MCP client to this project",
  usage: "client-config [client]",
  words: [CLIENTS.map(({ name }) => name)],
  details: [
    `Clients: ${CLIENTS.map(({ name }) => name).join(", ")}. Without a name, prints the settings of all of them.`,
    "Copy the printed lines to the place that they name, or let --write do it: it shows the change, asks, and keeps everything else in the file, comments included.",
    "--write keeps the file's text before the change beside it, as <file>.before-bascule; --undo shows the way back, asks, and restores that text, unless something else has changed the file since.",
  ],
  examples: ["client-config claude-code", "client-config cursor --write", "client-config cursor --undo"],
  positionals: { min: 0, max: 1 },
  options: [
    { name: "write", about: "Write the settings into the client's file" },
    { name: "undo", about: "Restore the client's file as it was before the last --write" },
    YES_OPTION,
  ],
  run: clientConfig,
};

async function clientConfig(context: CommandContext): Promise<number> {
  const { platform, project, positionals, options, output } = context;
  const [wanted] = positionals;
  const [command = "bascule", ...started] = platform.environment.command;
  const server: ServerStart = { name: "bascule", command, args: [...started, "mcp", "--project", project.root] };
  const chosen = CLIENTS.filter(({ name }) => wanted === undefined || name === wanted);
  if (chosen.length === 0) throw unknownClient(wanted ?? "");
  if (options.has("write") || options.has("undo")) {
    const [client] = chosen;
    if (wanted === undefined || client === undefined)
      throw usageError("Missing the client to configure", [`Choose from ${writable.join(", ")}`]);
    const { home, os } = platform.environment;
    const file = client.file?.(server, { root: project.root, home, os });
    if (file === undefined)
      throw usageError(`"${client.name}" has no JSON file: ${client.setting(server).where}`, [
        `${output.program} client-config ${client.name} prints the lines`,
      ]);
    const entry = { ...file, name: server.name };
    return await (options.has("undo") ? restoreClient(context, entry) : writeClient(context, entry));
  }
  const settings = chosen.map((client) => ({ client: client.name, ...client.setting(server) }));
  for (const { client, where, text } of settings) {
    output.line(`${output.style.bold(client)}: ${where}`);
    output.line(`${text}\n`);
  }
  output.document({ ok: true, server, clients: settings });
  return EXIT.ok;
}

const writable = CLIENTS.filter(({ file }) => file !== undefined).map(({ name }) => name);

function unknownClient(wanted: string): Error {
  const names = CLIENTS.map(({ name }) => name);
  return usageError(`Unknown MCP client "${wanted}"`, [wordMeant(wanted, names)]);
}
