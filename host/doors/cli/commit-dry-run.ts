/** After a dry run: shows what it would change, asks whether to do it, and does it (SPEC E8). */

import type { ToolResult } from "../../call/call.ts";
import type { Committed, CommitRefused } from "../../effects/overlay/dry-runs.ts";
import type { CommandContext } from "./command.ts";
import { dryRunLines } from "../../call/dry-run-text.ts";
import type { HostAccess } from "./host-access.ts";
import { count, printable } from "../../primitives/text.ts";

/** @returns what came of committing; undefined if there is nothing to do, or it was not agreed to and `--apply` did not ask for it. */
export async function commitDryRun(context: CommandContext, host: HostAccess, result: ToolResult): Promise<Committed | undefined> {
  const { output, platform, options, signal } = context;
  const { dryRun, callId } = result;
  if (dryRun === undefined) return undefined;
  for (const line of ["Nothing was changed. The call would have done this:", ...dryRunLines(dryRun, output.style)]) output.note(line);
  const isEmpty = dryRun.changes.length === 0 && dryRun.held.length === 0;
  // A call that failed says so itself.
  if (isEmpty || !result.ok) return undefined;
  const refused = dryRun.canCommit ? await refusal() : ({ code: "unknown", message: NOT_SENT } as const);
  if (refused !== undefined) return options.has("apply") ? tell({ ok: false, callId, ...refused, filesModified: [] }) : undefined;
  // By the hash, so that it is done as it was shown or not at all.
  return tell(await host.operations.commit(callId, dryRun.hash));

  function tell(committed: Committed): Committed {
    for (const line of committedLines(committed, output)) output.note(line);
    return committed;
  }

  /** Undefined if it is agreed to. */
  async function refusal(): Promise<Pick<CommitRefused, "code" | "message"> | undefined> {
    const { terminal } = platform;
    // A tool about which a person is asked is not let loose by a flag.
    if (options.has("apply") && !result.requiresApproval) return undefined;
    if (!terminal.interactive) {
      const message = `a person is asked about ${result.tool}, and no terminal is attached to ask on: run it on one`;
      return { code: "refused", message };
    }
    const answer = await terminal.ask(`${output.style.bold("Apply it?")} [y/N] `, signal);
    return answer !== undefined && /^\s*y(es)?\s*$/iu.test(answer) ? undefined : { code: "refused", message: "the answer was no" };
  }
}

const NOT_SENT = "requests that may change something elsewhere were not sent, so it is not known what the call does";

/** What was done, or why not. */
export function committedLines(committed: Committed, output: CommandContext["output"]): readonly string[] {
  const { style } = output;
  const { filesModified } = committed;
  if (committed.ok) return [`${style.green("applied")}  ${count(filesModified.length, "change")}`];
  const done = filesModified.map((path) => `  ${style.yellow("done")}  ${printable(path)}`);
  const undo = done.length === 0 ? [] : [`  ${style.bold(`${output.program} undo ${printable(committed.callId)}`)} puts it back`];
  return [`${style.red("not applied")}  ${printable(committed.message)}`, ...done, ...undo];
}
