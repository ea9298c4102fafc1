/** `bascule mcp-servers login` and `logout`: tokens of servers that want them (SPEC K3). */

import type { McpServerConfig } from "../../../manifests/mod.ts";
import { nearestName } from "../../tools/nearest.ts";
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
  if (url === undefined) throw usageError(`The MCP server "${server}" is a program of this machine, which wants no login`);
  if (namesItself(config))
    throw usageError(`The MCP server "${server}" has a header Authorization in bascule.json`, ["Take that out to log in"]);
  const origin = printable(new URL(url).origin);
  const show = (to: URL, tokensFrom: URL): void => {
    output.line(`To log in at ${printable(to.origin)} for the MCP server ${server} (${origin}), open this in a browser:`);
    output.line(`  ${printable(to.href)}`);
    const scope = to.searchParams.get("scope");
    if (scope !== null) output.line(`It asks for: ${printable(scope)}`);
    // A server can send its users to another one's login: what they allow there is then in its hands.
    output.line(`What you allow there becomes a token, given by ${printable(tokensFrom.origin)} and sent to ${origin}`);
    // Also with --json: nothing goes on before somebody has been there.
    if (output.json) platform.terminal.error(`${printable(to.href)}\n`);
  };
  try {
    await logIn({ server, config, url }, { platform, store, show, signal });
  } catch (error) {
    if (!(error instanceof LoginFailed)) throw error;
    throw new CliError("login", `Cannot log in at ${server}: ${error.message}`, { exitCode: EXIT.denied });
  }
  await reloadRunning(context);
  output.line(`${output.style.green("Logged in")} at ${server}; the tokens are in .bascule/mcp-logins, for you alone`);
  output.document({ ok: true, server, loggedIn: true });
  return EXIT.ok;
}

function loggedOutLines(server: string, { removed, issuer, problem }: LoggedOut): readonly string[] {
  if (!removed) return [`There was no login at ${server}`];
  const from = issuer === undefined ? "" : printable(issuer);
  if (issuer === undefined || problem !== undefined)
    return [
      `Forgot the login at ${server}`,
      ...(problem === undefined
        ? []
        : [`Its tokens stay good until they end, or you take them back at ${from}, which did not revoke them: ${printable(problem)}`]),
    ];
  return [`Forgot the login at ${server}, and had ${from} revoke its tokens`];
}

async function configOf(context: CommandContext, server: string): Promise<McpServerConfig> {
  const project = await openTrusted(context);
  const servers = project.config().mcpServers;
  refuseWithheld(context, project.trust, server);
  const config = Object.hasOwn(servers, server) ? servers[server] : undefined;
  if (config !== undefined) return config;
  const near = nearestName(server, Object.keys(servers));
  throw usageError(`There is no MCP server "${server}" in bascule.json`, near === undefined ? [] : [`Did you mean ${near}?`]);
}
