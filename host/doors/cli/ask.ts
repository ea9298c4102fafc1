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
  return await askYes({ platform, output, signal }, question);
}

/** True if the person at the terminal, which there is, says yes. */
export async function askYes(
  { platform, output, signal }: Pick<CommandContext, "platform" | "output" | "signal">,
  question: string,
): Promise<boolean> {
  const answer = await platform.terminal.ask(`${output.style.bold(question)} [y/N] `, signal);
  // No answer left the cursor behind the question.
  if (answer === undefined) platform.terminal.error("\n");
  return answer !== undefined && /^\s*y(es)?\s*$/iu.test(answer);
}

/** So many rows are shown before a person is asked to go on: a terminal has 24 at least, and the question takes one. */
const PAGE_ROWS = 22;
const FEWEST_COLUMNS = 20;

/** Shows lines whole; where a person is asked afterwards, a page at a time, so that nothing scrolls away unread. */
export async function showPages({ platform, options, output, signal }: CommandContext, lines: readonly string[]): Promise<void> {
  const isAsked = platform.terminal.interactive && !options.has(YES_OPTION.name) && options.value("digest") === undefined;
  const columns = Math.max(FEWEST_COLUMNS, output.columns);
  const page = PAGE_ROWS * columns;
  let rows = 0;
  for (const line of lines) {
    // A line may be longer than a page.
    for (let start = 0; start === 0 || start < line.length; start += page) {
      const piece = line.slice(start, start + page);
      const taken = Math.max(1, Math.ceil(piece.length / columns));
      if (isAsked && rows > 0 && rows + taken > PAGE_ROWS) {
        await platform.terminal.ask(output.style.dim("-- Enter shows more --"), signal);
        rows = 0;
      }
      output.line(piece);
      rows += taken;
    }
  }
}
