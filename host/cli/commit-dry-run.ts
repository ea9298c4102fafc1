/** After a dry run: shows what it would change, asks whether to do it, and does it (SPEC E8). */

import type { ToolResult } from "../call.ts";
import type { Committed } from "../overlay/dry-runs.ts";
import type { CommandContext } from "./command.ts";
import { dryRunLines } from "./dry-run-text.ts";
import type { HostAccess } from "./host-access.ts";
import { count, printable } from "./text.ts";

/** @returns what came of committing; undefined if nobody wanted it, or there is nothing to do. */
export async function commitDryRun(context: CommandContext, host: HostAccess, result: ToolResult): Promise<Committed | undefined> {
  const { output, platform, options, signal } = context;
  const { dryRun } = result;
  if (dryRun === undefined) return undefined;
  for (const line of ["Nothing was changed. The call would have done this:", ...dryRunLines(dryRun, output.style)]) output.note(line);
  if (!dryRun.canCommit || dryRun.changes.length === 0) return undefined;

  const isAgreed = await agree();
  if (!isAgreed) return undefined;
  // By the hash, so that it is done as it was shown or not at all.
  const committed = await host.operations.commit(result.callId, dryRun.hash);
  for (const line of committedLines(committed, output)) output.note(line);
  return committed;

  async function agree(): Promise<boolean> {
    const { terminal } = platform;
    // A tool about which a person is asked is not let loose by a flag.
    if (options.has("apply") && !result.requiresApproval) return true;
    if (terminal.interactive) {
      const answer = await terminal.ask(`${output.style.bold("Apply it?")} [y/N] `, signal);
      return answer !== undefined && /^\s*y(es)?\s*$/iu.test(answer);
    }
    if (options.has("apply"))
      output.note(`Not applied: a person is asked about ${printable(result.tool)}, and nobody could be; run it on a terminal`);
    return false;
  }
}

/** What was done, or why not. */
export function committedLines(committed: Committed, output: CommandContext["output"]): readonly string[] {
  const { style } = output;
  const { filesModified } = committed;
  if (committed.ok) return [`${style.green("applied")}  ${count(filesModified.length, "change")}`];
  const done = filesModified.map((path) => `  ${style.yellow("done")}  ${printable(path)}`);
  const undo = done.length === 0 ? [] : [`  ${style.bold(`${output.program} undo ${printable(committed.callId)}`)} puts it back`];
  return [`${style.red("not applied")}  ${printable(committed.message)}`, ...done, ...undo];
}
