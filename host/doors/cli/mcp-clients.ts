/** Settings of common MCP clients, one entry per client. */

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

/** One MCP client. */
interface McpClientKind {
  readonly name: string;
  setting(server: ServerStart): ClientSetting;
}

export const CLIENTS: readonly McpClientKind[] = [
  {
    name: "claude-code",
    setting: ({ name, command, args }) => ({
      where: "run this in a terminal (--scope project shares it through .mcp.json)",
      text: `claude mcp add ${[name, "--", command, ...args].map(quoted).join(" ")}`,
    }),
  },
  {
    name: "claude-desktop",
    setting: (server) => ({
      where: "merge into claude_desktop_config.json (Settings → Developer → Edit Config), then restart it",
      text: json({ mcpServers: entry(server) }),
    }),
  },
  {
    name: "cursor",
    setting: (server) => ({
      where: "merge into .cursor/mcp.json of the project, or ~/.cursor/mcp.json",
      text: json({ mcpServers: entry(server) }),
    }),
  },
  {
    name: "vscode",
    setting: ({ name, command, args }) => ({
      where: "merge into .vscode/mcp.json",
      text: json({ servers: { [name]: { type: "stdio", command, args } } }),
    }),
  },
  {
    name: "windsurf",
    setting: (server) => ({ where: "merge into ~/.codeium/windsurf/mcp_config.json", text: json({ mcpServers: entry(server) }) }),
  },
  {
    name: "zed",
    setting: ({ name, command, args }) => ({
      where: "merge into settings.json of Zed",
      text: json({ context_servers: { [name]: { source: "custom", command, args, env: {} } } }),
    }),
  },
  {
    name: "gemini-cli",
    setting: (server) => ({
      where: "merge into .gemini/settings.json of the project, or ~/.gemini/settings.json",
      text: json({ mcpServers: entry(server) }),
    }),
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
