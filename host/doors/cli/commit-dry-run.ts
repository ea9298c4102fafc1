/** Shows the changes of a dry run, asks whether to apply them, and commits them (SPEC E8). */

import type { ToolResult } from "../../call/call.ts";
import type { Committed, CommitRefused } from "../../effects/overlay/dry-runs.ts";
import type { ClientContext } from "./command.ts";
import { dryRunLines } from "../../call/dry-run-text.ts";
import type { HostAccess } from "./host-access.ts";
import { count, printable } from "../../primitives/text.ts";

/** @returns the outcome of the commit; undefined if there is nothing to commit, or if it was refused without `--apply` */
export async function commitDryRun(context: ClientContext, host: HostAccess, result: ToolResult): Promise<Committed | undefined> {
  const { output, platform, options, signal } = context;
  const { dryRun, callId } = result;
  if (dryRun === undefined) return undefined;
  for (const line of ["Nothing was changed. The call would make these changes:", ...dryRunLines(dryRun, output.style)]) output.note(line);
  const isEmpty = dryRun.changes.length === 0 && dryRun.held.length === 0;
  // A failed call cannot be committed; its error is already shown.
  if (isEmpty || !result.ok) return undefined;
  const refused = dryRun.canCommit ? await refusal() : ({ code: "unknown", message: NOT_SENT } as const);
  if (refused !== undefined) return options.has("apply") ? tell({ ok: false, callId, ...refused, filesModified: [] }) : undefined;
  // Commit by hash, so that exactly the shown changes are made, or none.
  return tell(await host.operations.commit(callId, dryRun.hash));

  function tell(committed: Committed): Committed {
    for (const line of committedLines(committed, output)) output.note(line);
    return committed;
  }

  /** Returns why the dry run must not be committed; undefined if the user agrees. */
  async function refusal(): Promise<Pick<CommitRefused, "code" | "message"> | undefined> {
    const { terminal } = platform;
    // `--apply` does not replace a confirmation that policy requires.
    if (options.has("apply") && !result.requiresApproval) return undefined;
    if (!terminal.interactive) {
      const message = `${result.tool} needs confirmation, and no terminal is attached to ask on`;
      return { code: "refused", message };
    }
    const answer = await terminal.ask(`${output.style.bold("Apply it?")} [y/N] `, signal);
    return answer !== undefined && /^\s*y(es)?\s*$/iu.test(answer) ? undefined : { code: "refused", message: "denied by the user" };
  }
}

const NOT_SENT = "requests with side effects were not sent, so the effect of the call is unknown";

/** Formats the outcome of a commit. */
export function committedLines(committed: Committed, output: ClientContext["output"]): readonly string[] {
  const { style } = output;
  const { filesModified } = committed;
  if (committed.ok) return [`${style.green("applied")}  ${count(filesModified.length, "change")}`];
  const done = filesModified.map((path) => `  ${style.yellow("done")}  ${printable(path)}`);
  const undo = done.length === 0 ? [] : [`  ${style.bold(`${output.program} undo ${printable(committed.callId)}`)} restores these files`];
  return [`${style.red("not applied")}  ${printable(committed.message)}`, ...done, ...undo];
}
