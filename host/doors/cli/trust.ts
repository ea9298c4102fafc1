/** Shows the trust requests of a folder, and asks the user to allow them (SPEC P1, K3). */

import { openProject } from "../../project/project-file.ts";
import { noticesOf, type ProjectTrust, trustedProject, type TrustedProject, type Withheld } from "../../project/trust/project-trust.ts";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { count, printable } from "../../primitives/text.ts";
import { asTyped } from "../../primitives/typed-commands.ts";
import { withheldLines } from "./trust-text.ts";

/** Opens the project with only its allowed parts. @throws {ProjectConfigError} if `bascule.json` is invalid */
export async function openTrusted({ platform, project }: Pick<CommandContext, "platform" | "project">): Promise<TrustedProject> {
  return await trustedProject(platform, await openProject(platform, project.configFile));
}

export function showWithheld({ output }: Pick<CommandContext, "output">, withheld: readonly Withheld[]): void {
  output.line("This folder requests what you have not allowed on this machine:");
  for (const trustRequest of withheld)
    for (const line of ["", ...withheldLines(trustRequest, { ...output, room: output.room - 2 })])
      output.line(line === "" ? "" : `  ${line}`);
  output.line();
}

/** Notes open trust requests on stderr, for commands without a start screen. */
export function noteWithheld({ output }: Pick<CommandContext, "output">, trust: ProjectTrust | undefined): void {
  for (const notice of noticesOf(trust)) output.note(output.style.dim(`(${printable(asTyped(notice, output.program))})`));
}

/** @throws {CliError} if the server is listed but not allowed */
export function refuseWithheld({ output }: Pick<CommandContext, "output">, trust: ProjectTrust | undefined, server: string): void {
  const name = `mcpServers.${server}`;
  if (trust?.withheld().some((trustRequest) => trustRequest.name === name) !== true) return;
  throw usageError(`The MCP server "${server}" is not allowed on this machine`, [`${output.program} trust ${name} shows it and asks`]);
}

/**
 * Asks the user at the terminal about open trust requests, before anything of the folder starts. If the user does not allow them, the
 * command continues without them.
 */
export async function askForTrust(context: CommandContext): Promise<void> {
  const { platform, output, signal } = context;
  if (!platform.terminal.interactive || output.json) return;
  const { trust } = await openTrusted(context);
  const withheld = trust.withheld();
  if (withheld.length === 0) return;
  showWithheld(context, withheld);
  output.line("Everything else works without it. If this folder is not your own, review it first.");
  const question = `Allow ${withheld.length === 1 ? "it" : `these ${count(withheld.length, "trust request")}`}?`;
  const answer = (await platform.terminal.ask(`${output.style.bold(question)} [y/N/always] `, signal))?.trim().toLowerCase();
  // Without an answer the cursor is still on the line of the confirmation.
  if (answer === undefined) platform.terminal.error("\n");
  if (answer === "always") await trust.agreeToAll(true);
  else if (answer === "y" || answer === "yes") await trust.agree(withheld);
  else output.line(`Not allowed; ${output.program} trust asks again`);
  output.line();
}
