/** `bascule undo`: restores files that a call changed, if they are unchanged since (SPEC E8). */

import type { UndoCall, UndoResult } from "../../../effects/undo/undos.ts";
import { table } from "../table.ts";
import { confirmAct, YES_OPTION } from "../ask.ts";
import { notFoundError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { dryRunLines } from "../../../call/dry-run-text.ts";
import { EXIT } from "../exit-codes.ts";
import { idMeant } from "../id-meant.ts";
import { withHost } from "../host-access.ts";
import { count, printable } from "../../../primitives/text.ts";

export const undoCommand: Command = {
  name: "undo",
  summary: "Undo the file changes of a call",
  usage: "undo [call]",
  details: [
    "Without a call, undoes the last one after a confirmation. The beginning of an id is enough if no other begins with it.",
    "Restores files in the workspace only. Files that changed after the call are listed and not touched, unless --force is given.",
    "Exits with code 1 if a file was not restored. To undo several calls, undo the newest first.",
    'bascule.json sets how much is kept: { "undo": { "keep": true, "maxBytes": 268435456, "maxDays": 7 } }.',
  ],
  examples: ["undo", "undo --list", "undo 019a0000 --dry-run"],
  positionals: { min: 0, max: 1 },
  options: [
    YES_OPTION,
    { name: "list", about: "List the calls that can be undone, newest first" },
    { name: "dry-run", about: "Show what would be restored without changing anything" },
    { name: "force", about: "Restore the state before the call even if files changed since; those changes are lost" },
  ],
  run: (context) =>
    // No plugin code is needed, so none is loaded.
    withHost(
      context,
      async ({ operations }) => {
        if (context.options.has("list")) return list(context, await operations.undoable());
        const meant = await callMeant(context, await operations.undoable());
        if (meant === undefined) return EXIT.denied;
        const request = { dryRun: context.options.has("dry-run"), force: context.options.has("force") };
        return show(context, await operations.undo(meant, request));
      },
      { onlyTool: "" },
    ),
};

/** Returns the call to undo: the one that is named, or the last one if the user agrees. */
async function callMeant(context: CommandContext, calls: readonly UndoCall[]): Promise<string | undefined> {
  const { output, options, positionals } = context;
  const [written] = positionals;
  const advice = `${output.program} undo --list lists the calls that can be undone`;
  if (written !== undefined) {
    const named = calls.map(({ callId, atMs, tool }) => ({ id: callId, atMs, about: tool }));
    return idMeant(written, named, "call, or nothing of it can be undone:", advice);
  }
  const [last] = calls;
  if (last === undefined) throw notFoundError("No call can be undone", [`${output.program} undo --help shows what is kept`]);
  const about = `${printable(last.tool)} of ${new Date(last.atMs).toISOString()} (${printable(last.callId)})`;
  if (options.has("dry-run")) {
    output.note(`The last call is ${about}`);
    return last.callId;
  }
  // A program that runs this command names the call: another one may have ended in between.
  if (await confirmAct(context, `Undo ${about}?`)) return last.callId;
  output.line("Nothing was undone");
  output.document({ ok: false, undone: false, callId: last.callId });
  return undefined;
}

function list({ output }: CommandContext, calls: readonly UndoCall[]): number {
  if (calls.length === 0) output.line("No call can be undone");
  const rows = calls.map(({ callId, tool, atMs }) => [new Date(atMs).toISOString(), printable(callId), printable(tool)]);
  const { style, room } = output;
  for (const line of table(rows, style, { columns: room, paint: [style.dim, style.bold] })) output.line(line);
  output.document({ ok: true, calls });
  return EXIT.ok;
}

function show({ output, options }: CommandContext, result: UndoResult): number {
  const { style, program } = output;
  if (!result.ok) throw notFoundError(result.message, [`${program} undo --list lists the calls that can be undone`]);
  const { restored, left, dryRun, tool } = result;
  if (dryRun !== undefined) {
    output.line(`Nothing was changed. Undoing ${printable(tool)} would make these changes:`);
    for (const line of dryRunLines(dryRun, style)) output.line(line);
  } else {
    output.line(`${outcome(result, style)}  ${printable(tool)}, ${count(restored.length, "change")}`);
    for (const path of restored) output.line(`  ${printable(path)}`);
  }
  for (const { path, reason } of left) output.line(`  ${style.yellow("left")}  ${printable(path)}: ${printable(reason)}`);
  if (left.length > 0 && !options.has("force"))
    output.line(
      `  ${style.bold(`${program} undo ${printable(result.callId)} --force`)} restores the state before the call and discards later changes`,
    );
  output.document({ ...result, ok: left.length === 0 });
  return left.length === 0 ? EXIT.ok : EXIT.failed;
}

/** Returns the heading. "undone" means that every change of the call was restored. */
function outcome({ restored, left }: Extract<UndoResult, { readonly ok: true }>, style: CommandContext["output"]["style"]): string {
  if (left.length === 0) return style.green("undone");
  return restored.length === 0 ? style.red("not undone") : style.yellow("partly undone");
}
