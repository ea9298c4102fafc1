/** `bascule mcp-servers login` and `logout`: obtains and revokes tokens of MCP servers (SPEC K3). */

import type { McpServerConfig } from "../../../manifests/mod.ts";
import { didYouMean } from "./did-you-mean.ts";
import { LoginFailed, logIn } from "../../sources/mcp/log-in.ts";
import { type LoggedOut, logOut } from "../../sources/mcp/log-out.ts";
import { createLoginStore, namesItself } from "../../sources/mcp/logins.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { reloadRunning } from "./reload-running.ts";
import { printable } from "../../primitives/text.ts";
import { openTrusted, refuseWithheld } from "./trust.ts";

export async function mcpLogin(context: CommandContext, verb: "login" | "logout", server: string): Promise<number> {
  const { platform, project, output, signal } = context;
  const config = await configOf(context, server);
  const { url } = config;
  const store = createLoginStore(platform, project.stateDirectory);
  if (verb === "logout") {
    const ended = await logOut({ server, config }, { platform, store, signal });
    await reloadRunning(context);
    for (const line of loggedOutLines(server, ended)) output.line(line);
    const { removed, issuer, problem } = ended;
    output.document({
      ok: true,
      server,
      removed,
      ...(issuer !== undefined && { issuer, revoked: problem === undefined }),
      ...(problem !== undefined && { problem }),
    });
    return EXIT.ok;
  }
  if (url === undefined) throw usageError(`The MCP server "${server}" is a local program and needs no login`);
  if (namesItself(config))
    throw usageError(`The MCP server "${server}" has an Authorization header in bascule.json`, ["Remove the header to log in"]);
  const origin = printable(new URL(url).origin);
  const show = (to: URL, tokensFrom: URL): void => {
    output.line(`To log in at ${printable(to.origin)} for the MCP server ${server} (${origin}), open this in a browser:`);
    output.line(`  ${printable(to.href)}`);
    const scope = to.searchParams.get("scope");
    if (scope !== null) output.line(`Requested scopes: ${printable(scope)}`);
    // Show both origins: a server can redirect to another server's login, and then holds the token from there.
    output.line(`The resulting token is issued by ${printable(tokensFrom.origin)} and sent to ${origin}`);
    // Print the address with --json too: the login waits until the user opens it.
    if (output.json) platform.terminal.error(`${printable(to.href)}\n`);
  };
  try {
    await logIn({ server, config, url }, { platform, store, show, signal });
  } catch (error) {
    if (!(error instanceof LoginFailed)) throw error;
    throw new CliError("login", `Cannot log in at ${server}: ${error.message}`, { exitCode: EXIT.denied });
  }
  await reloadRunning(context);
  output.line(`${output.style.green("Logged in")} at ${server}; the tokens are in .bascule/mcp-logins, readable only by you`);
  output.document({ ok: true, server, loggedIn: true });
  return EXIT.ok;
}

function loggedOutLines(server: string, { removed, issuer, problem }: LoggedOut): readonly string[] {
  if (!removed) return [`Not logged in at ${server}`];
  const from = issuer === undefined ? "" : printable(issuer);
  if (issuer === undefined || problem !== undefined)
    return [
      `Removed the login at ${server}`,
      ...(problem === undefined
        ? []
        : [`The tokens stay valid until they expire or you revoke them at ${from}, because revoking failed: ${printable(problem)}`]),
    ];
  return [`Removed the login at ${server}; ${from} revoked its tokens`];
}

async function configOf(context: CommandContext, server: string): Promise<McpServerConfig> {
  const project = await openTrusted(context);
  const servers = project.config().mcpServers;
  refuseWithheld(context, project.trust, server);
  const config = Object.hasOwn(servers, server) ? servers[server] : undefined;
  if (config !== undefined) return config;
  throw usageError(`Unknown MCP server "${server}" in bascule.json`, [
    didYouMean(server, Object.keys(servers), `${context.output.program} mcp-servers lists the servers`),
  ]);
}
