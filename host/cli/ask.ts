/** Asks the person at the terminal whether to go on. */

import type { CommandContext } from "./command.ts";
import { usageError } from "./cli-error.ts";
import type { OptionSpec } from "./arguments.ts";

export const YES_OPTION: OptionSpec = { name: "yes", short: "y", about: "Do not ask" };

/**
 * True if the person says yes, or has said so with `--yes`.
 *
 * @throws {CliError} if there is nobody to ask.
 */
export async function confirmAct({ platform, options, output, signal }: CommandContext, question: string): Promise<boolean> {
  if (options.has(YES_OPTION.name)) return true;
  if (!platform.terminal.interactive) throw usageError("There is nobody to ask", ["Give --yes to go on without a question"]);
  const answer = await platform.terminal.ask(`${output.style.bold(question)} [y/N] `, signal);
  // No answer left the cursor behind the question.
  if (answer === undefined) platform.terminal.error("\n");
  return answer !== undefined && /^\s*y(es)?\s*$/iu.test(answer);
}
