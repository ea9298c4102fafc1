/** What this folder asks for, and a person's yes to it (SPEC P1, K3). */

import { openProject } from "../../project/project-file.ts";
import { noticesOf, type ProjectTrust, trustedProject, type TrustedProject, type Withheld } from "../../project/trust/project-trust.ts";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { count, printable } from "../../primitives/text.ts";
import { withheldLines } from "./trust-text.ts";

/** The project, as far as a person agreed to it. @throws {ProjectConfigError} if `bascule.json` is wrong. */
export async function openTrusted({ platform, project }: Pick<CommandContext, "platform" | "project">): Promise<TrustedProject> {
  return await trustedProject(platform, await openProject(platform, project.configFile));
}

export function showWithheld({ output }: Pick<CommandContext, "output">, withheld: readonly Withheld[]): void {
  output.line("This folder asks for what you have not allowed on this machine:");
  for (const demand of withheld)
    for (const line of ["", ...withheldLines(demand, output.style)]) output.line(line === "" ? "" : `  ${line}`);
  output.line();
}

/** On stderr, for commands that show no start screen. */
export function noteWithheld({ output }: Pick<CommandContext, "output">, trust: ProjectTrust | undefined): void {
  for (const notice of noticesOf(trust)) output.note(output.style.dim(`(${printable(notice)})`));
}

/** @throws {CliError} if the server is listed, and nobody allowed it. */
export function refuseWithheld({ output }: Pick<CommandContext, "output">, trust: ProjectTrust | undefined, server: string): void {
  const name = `mcpServers.${server}`;
  if (trust?.withheld().some((demand) => demand.name === name) !== true) return;
  throw usageError(`Nobody has allowed the MCP server "${server}" on this machine`, [`${output.program} trust ${name} shows it and asks`]);
}

/**
 * Asks the person at the terminal, before anything of the folder is started, about what was not allowed yet. Whatever the answer, the
 * command goes on: without a yes it goes without.
 */
export async function askForTrust(context: CommandContext): Promise<void> {
  const { platform, output, signal } = context;
  if (!platform.terminal.interactive || output.json) return;
  const { trust } = await openTrusted(context);
  const withheld = trust.withheld();
  if (withheld.length === 0) return;
  showWithheld(context, withheld);
  output.line("Without it everything else works. If this folder is not your own, look at it first.");
  const question = `Allow ${withheld.length === 1 ? "it" : `these ${count(withheld.length, "thing")}`}?`;
  const answer = (await platform.terminal.ask(`${output.style.bold(question)} [y/N/always] `, signal))?.trim().toLowerCase();
  // No answer left the cursor behind the question.
  if (answer === undefined) platform.terminal.error("\n");
  if (answer === "always") await trust.agreeToAll(true);
  else if (answer === "y" || answer === "yes") await trust.agree(withheld);
  else output.line(`Not allowed; ${output.program} trust asks again`);
  output.line();
}
