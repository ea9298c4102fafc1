/** `bascule undo`: restores files that a call changed, if they are unchanged since (SPEC E8). */

import type { UndoCall, UndoResult } from "../../../effects/undo/undos.ts";
import { table } from "../table.ts";
import { agoText } from "../../../primitives/ago.ts";
import { confirmAct, showPages, YES_OPTION } from "../ask.ts";
import { notFoundError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { dryRunLines } from "../../../call/dry-run-text.ts";
import { EXIT } from "../exit-codes.ts";
import { idMeant, shortId } from "../id-meant.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import type { Output } from "../output.ts";
import { count, printable } from "../../../primitives/text.ts";

export const undoCommand: Command = {
  name: "undo",
  summary: "Undo the file changes of a call",
  usage: "undo [call]",
  details: [
    "Without a call, shows what undoing the last one changes, and asks. The beginning of an id is enough if no other begins with it.",
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
        const meant = await callMeant(context, operations);
        if (meant === undefined) return EXIT.denied;
        const request = { dryRun: context.options.has("dry-run"), force: context.options.has("force") };
        return show(context, await operations.undo(meant, request));
      },
      { onlyTool: "" },
    ),
};

/** Returns the call to undo: the one that is named, or the last one if the user agrees. */
async function callMeant(context: CommandContext, operations: HostAccess["operations"]): Promise<string | undefined> {
  const { output, options, positionals, platform } = context;
  const calls = await operations.undoable();
  const [written] = positionals;
  const advice = `${output.program} undo --list lists the calls that can be undone`;
  if (written !== undefined) {
    const named = calls.map(({ callId, atMs, tool }) => ({ id: callId, atMs, about: tool }));
    return idMeant(written, named, "call, or nothing of it can be undone:", advice);
  }
  const [last] = calls;
  if (last === undefined) throw notFoundError("No call can be undone", [`${output.program} undo --help shows what is kept`]);
  const about = aboutOf(last, calls, platform.clock.now()).join(", ");
  if (options.has("dry-run")) {
    output.note(`The last call is ${about}`);
    return last.callId;
  }
  // A program that runs this command names the call: another one may have ended in between.
  if (platform.terminal.interactive && !options.has(YES_OPTION.name)) {
    const preview = await operations.undo(last.callId, { dryRun: true, force: options.has("force") });
    if (preview.ok)
      await showPages(context, [`The last call was ${about}. Undoing it makes these changes:`, ...previewLines(preview, output)]);
  }
  if (await confirmAct(context, `Undo ${printable(last.tool)}?`)) return last.callId;
  output.line("Nothing was undone");
  output.document({ ok: false, undone: false, callId: last.callId });
  return undefined;
}

/** Returns a call's tool, age and the beginning of its id. */
function aboutOf(
  { callId, tool, atMs }: UndoCall,
  calls: readonly UndoCall[],
  now: number,
): readonly [tool: string, age: string, id: string] {
  const ids = calls.map((call) => call.callId);
  return [printable(tool), agoText(now - atMs), printable(shortId(callId, ids))];
}

/** Formats what an undo would change, and what it would leave. */
function previewLines({ dryRun, left }: Extract<UndoResult, { readonly ok: true }>, { style }: Output): readonly string[] {
  return [...(dryRun === undefined ? [] : dryRunLines(dryRun, style)), ...leftLines(left, style)];
}

function leftLines(left: Extract<UndoResult, { readonly ok: true }>["left"], style: Output["style"]): readonly string[] {
  return left.map(({ path, reason }) => `  ${style.yellow("left")}  ${printable(path)}: ${printable(reason)}`);
}

function list({ output, platform }: CommandContext, calls: readonly UndoCall[]): number {
  if (calls.length === 0) output.line("No call can be undone");
  const now = platform.clock.now();
  const rows = calls.map((call) => aboutOf(call, calls, now).toReversed());
  const { style, room } = output;
  for (const line of table(rows, style, { columns: room, paint: [style.bold, style.dim] })) output.line(line);
  output.document({ ok: true, calls });
  return EXIT.ok;
}

function show({ output, options }: CommandContext, result: UndoResult): number {
  const { style, program } = output;
  if (!result.ok) throw notFoundError(result.message, [`${program} undo --list lists the calls that can be undone`]);
  const { restored, left, dryRun, tool } = result;
  if (dryRun !== undefined) {
    output.line(`Nothing was changed. Undoing ${printable(tool)} would make these changes:`);
    for (const line of previewLines(result, output)) output.line(line);
  } else {
    output.line(`${outcome(result, style)}  ${printable(tool)}, ${count(restored.length, "change")}`);
    for (const line of [...restored.map((path) => `  ${printable(path)}`), ...leftLines(left, style)]) output.line(line);
  }
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
