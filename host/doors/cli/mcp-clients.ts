/** Settings of common MCP clients, one entry per client. */

import type { JsonObject } from "../../../manifests/mod.ts";

/** Command that starts the server. */
export interface ServerStart {
  readonly name: string;
  /** Absolute path, because clients started from a desktop have no useful PATH. */
  readonly command: string;
  readonly args: readonly string[];
}

/** Text to write, and the place for it. */
interface ClientSetting {
  readonly where: string;
  readonly text: string;
}

/** Folders that clients keep their files in. */
interface ClientPlace {
  /** The project's folder. */
  readonly root: string;
  readonly home: string;
  readonly os: "linux" | "darwin" | "windows" | "other";
}

/** JSON file of a client, with comments in some, and the server's entry in it. */
interface ClientFile {
  readonly path: string;
  /** Member that lists the servers. */
  readonly group: string;
  readonly entry: JsonObject;
}

/** One MCP client. */
interface McpClientKind {
  readonly name: string;
  setting(server: ServerStart): ClientSetting;
  /** Absent if the client has no such file. */
  file?(server: ServerStart, place: ClientPlace): ClientFile;
}

export const CLIENTS: readonly McpClientKind[] = [
  {
    name: "claude-code",
    setting: ({ name, command, args }) => ({
      where: "run this in a terminal (--scope project shares it through .mcp.json)",
      text: `claude mcp add ${[name, "--", command, ...args].map(quoted).join(" ")}`,
    }),
    file: (server, { root }) => ({ path: `${root}/.mcp.json`, group: "mcpServers", entry: plain(server) }),
  },
  {
    name: "claude-desktop",
    setting: (server) => ({
      where: "merge into claude_desktop_config.json (Settings → Developer → Edit Config), then restart it",
      text: json({ mcpServers: entry(server) }),
    }),
    file: (server, place) => ({ path: `${desktopFolder(place)}/claude_desktop_config.json`, group: "mcpServers", entry: plain(server) }),
  },
  {
    name: "cursor",
    setting: (server) => ({
      where: "merge into .cursor/mcp.json of the project, or ~/.cursor/mcp.json",
      text: json({ mcpServers: entry(server) }),
    }),
    file: (server, { root }) => ({ path: `${root}/.cursor/mcp.json`, group: "mcpServers", entry: plain(server) }),
  },
  {
    name: "vscode",
    setting: ({ name, command, args }) => ({
      where: "merge into .vscode/mcp.json",
      text: json({ servers: { [name]: { type: "stdio", command, args } } }),
    }),
    file: (server, { root }) => ({ path: `${root}/.vscode/mcp.json`, group: "servers", entry: { type: "stdio", ...plain(server) } }),
  },
  {
    name: "windsurf",
    setting: (server) => ({ where: "merge into ~/.codeium/windsurf/mcp_config.json", text: json({ mcpServers: entry(server) }) }),
    file: (server, { home }) => ({ path: `${home}/.codeium/windsurf/mcp_config.json`, group: "mcpServers", entry: plain(server) }),
  },
  {
    name: "zed",
    setting: ({ name, command, args }) => ({
      where: "merge into settings.json of Zed",
      text: json({ context_servers: { [name]: { source: "custom", command, args, env: {} } } }),
    }),
    file: (server, { home }) => ({
      path: `${home}/.config/zed/settings.json`,
      group: "context_servers",
      entry: { source: "custom", ...plain(server), env: {} },
    }),
  },
  {
    name: "gemini-cli",
    setting: (server) => ({
      where: "merge into .gemini/settings.json of the project, or ~/.gemini/settings.json",
      text: json({ mcpServers: entry(server) }),
    }),
    file: (server, { root }) => ({ path: `${root}/.gemini/settings.json`, group: "mcpServers", entry: plain(server) }),
  },
  {
    name: "codex",
    setting: ({ name, command, args }) => ({
      where: "append to ~/.codex/config.toml",
      // JSON strings and string lists are valid TOML.
      text: `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
    }),
  },
];

function plain({ command, args }: ServerStart): JsonObject {
  return { command, args: [...args] };
}

function desktopFolder({ home, os }: ClientPlace): string {
  if (os === "darwin") return `${home}/Library/Application Support/Claude`;
  return os === "windows" ? `${home}/AppData/Roaming/Claude` : `${home}/.config/Claude`;
}

function entry({ name, command, args }: ServerStart): Readonly<Record<string, unknown>> {
  return { [name]: { command, args } };
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Quotes a word for a shell if necessary. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
