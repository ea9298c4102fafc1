/** Asks the user at the terminal for confirmation. */

import type { ClientContext } from "./command.ts";
import { usageError } from "./cli-error.ts";
import type { OptionSpec } from "./arguments.ts";

export const YES_OPTION: OptionSpec = { name: "yes", short: "y", about: "Do not ask for confirmation" };

/**
 * Asks for confirmation. Returns true if the user agrees, or gave `--yes`.
 *
 * @throws {CliError} if no terminal is attached
 */
export async function confirmAct({ platform, options, output, signal }: ClientContext, question: string): Promise<boolean> {
  if (options.has(YES_OPTION.name)) return true;
  if (!platform.terminal.interactive)
    throw usageError("Needs confirmation, and no terminal is attached to ask on", ["Give --yes to continue without confirmation"]);
  return await askYes({ platform, output, signal }, question);
}

/** Asks on the terminal, which must be interactive. Returns true if the user answers yes. */
export async function askYes(
  { platform, output, signal }: Pick<ClientContext, "platform" | "output" | "signal">,
  question: string,
): Promise<boolean> {
  const answer = await platform.terminal.ask(`${output.style.bold(question)} [y/N] `, signal);
  // Without an answer the cursor is still on the line of the confirmation.
  if (answer === undefined) platform.terminal.error("\n");
  return answer !== undefined && /^\s*y(es)?\s*$/iu.test(answer);
}

/** Rows shown before the pager stops. A terminal has at least 24 rows, and the pager's prompt takes one. */
const PAGE_ROWS = 22;
const FEWEST_COLUMNS = 20;

/** Shows lines in full. If a confirmation follows, shows them page by page, so that nothing scrolls away unread. */
export async function showPages({ platform, options, output, signal }: ClientContext, lines: readonly string[]): Promise<void> {
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
