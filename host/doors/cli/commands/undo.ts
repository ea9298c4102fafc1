/** `bascule undo`: puts back what a call changed, where it still is as the call left it (SPEC E8). */

import type { UndoCall, UndoResult } from "../../../effects/undo/undos.ts";
import { notFoundError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { dryRunLines } from "../../../call/dry-run-text.ts";
import { EXIT } from "../exit-codes.ts";
import { withHost } from "../host-access.ts";
import { count, printable } from "../../../primitives/text.ts";

export const undoCommand: Command = {
  name: "undo",
  summary: "Put back what a call changed",
  usage: "undo [call]",
  details: [
    "What was changed since is listed and left, unless --force is given. Files inside the workspace only.",
    "Exits 1 where something is left. Several calls are undone the newest first.",
    'bascule.json says how much is kept: { "undo": { "keep": true, "maxBytes": 268435456, "maxDays": 7 } }.',
  ],
  examples: ["undo --list", "undo 019a0000-0000-7000-8000-000000000000 --dry-run"],
  positionals: { min: 0, max: 1 },
  options: [
    { name: "list", about: "Show the calls that can be undone, the newest first" },
    { name: "dry-run", about: "Only show what would be put back" },
    { name: "force", about: "Put back what was there before the call, whatever is there now: what was changed since is lost" },
  ],
  run: (context) =>
    // No plugin's code is needed.
    withHost(
      context,
      async ({ operations }) => {
        const [callId] = context.positionals;
        if (context.options.has("list")) return list(context, await operations.undoable());
        if (callId === undefined)
          throw usageError("Which call? Give its id, or --list", [`${context.output.program} undo --list shows them`]);
        const wish = { dryRun: context.options.has("dry-run"), force: context.options.has("force") };
        return show(context, await operations.undo(callId, wish));
      },
      { onlyTool: "" },
    ),
};

function list({ output }: CommandContext, calls: readonly UndoCall[]): number {
  if (calls.length === 0) output.line("No call can be undone");
  for (const { callId, tool, atMs } of calls)
    output.line(`${output.style.dim(new Date(atMs).toISOString())}  ${output.style.bold(printable(callId))}  ${printable(tool)}`);
  output.document({ ok: true, calls });
  return EXIT.ok;
}

function show({ output, options }: CommandContext, result: UndoResult): number {
  const { style, program } = output;
  if (!result.ok) throw notFoundError(result.message, [`${program} undo --list shows what can be undone`]);
  const { restored, left, dryRun, tool } = result;
  if (dryRun !== undefined) {
    output.line(`Nothing was changed. Undoing ${printable(tool)} would do this:`);
    for (const line of dryRunLines(dryRun, style)) output.line(line);
  } else {
    output.line(`${outcome(result, style)}  ${printable(tool)}, ${count(restored.length, "change")}`);
    for (const path of restored) output.line(`  ${printable(path)}`);
  }
  for (const { path, reason } of left) output.line(`  ${style.yellow("left")}  ${printable(path)}: ${printable(reason)}`);
  if (left.length > 0 && !options.has("force"))
    output.line(
      `  ${style.bold(`${program} undo ${printable(result.callId)} --force`)} puts back what was there before the call, whatever is there now`,
    );
  output.document({ ...result, ok: left.length === 0 });
  return left.length === 0 ? EXIT.ok : EXIT.failed;
}

/** "undone" is said of all that the call changed, or not at all. */
function outcome({ restored, left }: Extract<UndoResult, { readonly ok: true }>, style: CommandContext["output"]["style"]): string {
  if (left.length === 0) return style.green("undone");
  return restored.length === 0 ? style.red("not undone") : style.yellow("partly put back");
}
