/** Formats the differences between a replay and its recording. */

import { diffLines } from "diff";
import type { JsonValue } from "../../manifests/mod.ts";
import { isJsonObject } from "../../manifests/mod.ts";
import type { OperationDifference, ShownOperation } from "../effects/recordings/answers.ts";
import type { Recording, RecordedOutcome } from "../call/recording.ts";
import type { CodeComparison, LinedOperation } from "../testing/replay-current.ts";
import type { Difference } from "../testing/replay.ts";
import { faultToError } from "../routes/fault-to-error.ts";
import type { Style } from "../primitives/style.ts";
import { printable, printableLines } from "../primitives/text.ts";

const SHOWN = 2_000;

/** Formats all differences, in the order in which they occurred. */
export function differenceLines({ tool, digest }: Recording, differences: readonly Difference[], style: Style): readonly string[] {
  const head = `${style.red("different")} ${printable(tool)} ${style.dim(digest.slice(0, 12))}`;
  return [head, ...differences.flatMap((difference) => linesOf(difference, style))];
}

/** Formats how the code as it is now differs from the recorded code. */
export function comparisonLines({ tool, digest }: Recording, compared: CodeComparison, style: Style): readonly string[] {
  const { kind, before, now, isSameResult, first, notRecorded, gone } = compared;
  const versions = `${digest.slice(0, 12)} → ${compared.digest.slice(0, 12)}`;
  const head = `${kind === "same" ? style.green("same") : style.red("different")} ${printable(tool)} ${style.dim(versions)}`;
  if (kind === "same") return [head, outcomeText(now)];
  return [
    head,
    ...(isSameResult ? ["The result is the same"] : ["The result differs", ...resultDiff(before, now, style)]),
    ...(first ? [`Operation ${first.place} is the first that differs`, ...sides(first.before, first.now, style)] : []),
    ...listed("Not recorded, and not run", notRecorded, (operation) => sides(undefined, operation, style)),
    ...listed("Not sent any more", gone, (operation) => sides(operation, undefined, style)),
  ];
}

const MOST_LISTED = 20;
/** Larger results are compared line by line only at their beginning. */
const MOST_COMPARED = 100_000;
const MOST_EDITS = 1_000;

function listed(
  title: string,
  operations: readonly LinedOperation[],
  lines: (operation: LinedOperation) => readonly string[],
): readonly string[] {
  if (operations.length === 0) return [];
  const more = operations.length - MOST_LISTED;
  return [`${title}: ${operations.length}`, ...operations.slice(0, MOST_LISTED).flatMap(lines), ...(more > 0 ? [`… ${more} more`] : [])];
}

function sides(before: LinedOperation | undefined, now: LinedOperation | undefined, style: Style): readonly string[] {
  const text = (operation: LinedOperation): string =>
    `${operationText(operation)}${operation.at === undefined ? "" : `  ${style.dim(printable(operation.at))}`}`;
  return [...(before ? [`${style.red("-")} ${text(before)}`] : []), ...(now ? [`${style.green("+")} ${text(now)}`] : [])];
}

function resultDiff(before: RecordedOutcome, now: RecordedOutcome, style: Style): readonly string[] {
  if (!before.ok || !now.ok) return pair(outcomeText(before), outcomeText(now), style);
  const [one, other] = [before, now].map(({ output }) => JSON.stringify(toolAnswer(output), null, 2).slice(0, MOST_COMPARED));
  const changes = one === undefined || other === undefined ? undefined : diffLines(one, other, { maxEditLength: MOST_EDITS });
  const changed = changes?.filter(({ added, removed }) => added || removed) ?? [];
  // The texts are equal in what is shown, or differ in too many lines.
  if (changed.length === 0) return pair(outcomeText(before), outcomeText(now), style);
  return changed.flatMap(({ value, added }) => {
    const mark = added ? style.green("+") : style.red("-");
    return value
      .replace(/\n$/, "")
      .split("\n")
      .slice(0, MOST_EDITS)
      .map((line) => `${mark} ${printable(line)}`);
  });
}

function linesOf(difference: Difference, style: Style): readonly string[] {
  switch (difference.kind) {
    case "order":
      return ["Clock reads, timers or answers came in a different order"];
    case "outcome":
      return ["The result differs", ...pair(outcomeText(difference.recorded), outcomeText(difference.now), style)];
    case "used":
      return [`Different ${WORDS[difference.what]}: ${difference.recorded} recorded, ${difference.now} now`];
    default:
      return operationLines(difference, style);
  }
}

const WORDS = { fuel: "fuel", operations: "operations", logBytes: "bytes of log", outputBytes: "bytes of output" };

function operationLines(difference: OperationDifference, style: Style): readonly string[] {
  const place = `Operation ${difference.place}`;
  switch (difference.kind) {
    case "asked_otherwise":
      return [place, ...pair(operationText(difference.recorded), operationText(difference.asked), style)];
    case "not_recorded":
      return [`${place} is not in the recording`, `${style.green("+")} ${operationText(difference.asked)}`];
    case "not_asked":
      return [`${place} is missing in the replay`, `${style.red("-")} ${operationText(difference.recorded)}`];
  }
}

/** Formats the recorded value with a minus and the new value with a plus. */
function pair(recorded: string, now: string, style: Style): readonly string[] {
  return [`${style.red("-")} ${recorded}`, `${style.green("+")} ${now}`];
}

function operationText({ name, args, sent }: ShownOperation): string {
  const bytes = sent === undefined ? "" : ` with ${sent.length} bytes (sha256 ${sent.sha256.slice(0, 12)})`;
  return printable(cut(`${name} ${JSON.stringify(args)}${bytes}`));
}

/** Formats the tool's result, or its error. */
export function outcomeText(outcome: RecordedOutcome): string {
  if (!outcome.ok) {
    const { code, message } = faultToError(outcome.fault);
    return printableLines(cut(`${code} ${message}`)).replaceAll("\n", "\n  | ");
  }
  const { output, parts = [] } = outcome;
  const large = parts.map(({ at, length, sha256 }) => `${at}: ${length} bytes (sha256 ${sha256.slice(0, 12)})`);
  return printable(cut([JSON.stringify(toolAnswer(output)), ...large].join(", ")));
}

/** Unwraps the prelude's envelope. */
function toolAnswer(output: JsonValue): JsonValue {
  if (!isJsonObject(output)) return output;
  return output["o"] ?? output["t"] ?? null;
}

function cut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
