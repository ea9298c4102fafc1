/** How a call that was run again differs from its recording, for people. */

import type { JsonValue } from "../../../manifests/mod.ts";
import { isJsonObject } from "../../../manifests/mod.ts";
import type { OperationDifference, ShownOperation } from "../../effects/recordings/answers.ts";
import type { Recording, RecordedOutcome } from "../../call/recording.ts";
import type { Difference } from "../../testing/replay.ts";
import { faultToError } from "../../routes/fault-to-error.ts";
import type { Style } from "../../primitives/style.ts";
import { printable, printableLines } from "../../primitives/text.ts";

const SHOWN = 2_000;

/** Everything that differs, what came first in front. */
export function differenceLines({ tool, digest }: Recording, differences: readonly Difference[], style: Style): readonly string[] {
  const head = `${style.red("different")} ${printable(tool)} ${style.dim(digest.slice(0, 12))}`;
  return [head, ...differences.flatMap((difference) => linesOf(difference, style))];
}

function linesOf(difference: Difference, style: Style): readonly string[] {
  switch (difference.kind) {
    case "order":
      return ["It looks at the clock, or waits for timers and answers, in another order than it did"];
    case "outcome":
      return ["What came of it", ...pair(outcomeText(difference.recorded), outcomeText(difference.now), style)];
    case "used":
      return [`It used other ${WORDS[difference.what]}: ${difference.recorded} then, ${difference.now} now`];
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
      return [`${place} was not asked for then`, `${style.green("+")} ${operationText(difference.asked)}`];
    case "not_asked":
      return [`${place} is not asked for now`, `${style.red("-")} ${operationText(difference.recorded)}`];
  }
}

/** Then and now, each behind its sign. */
function pair(recorded: string, now: string, style: Style): readonly string[] {
  return [`${style.red("-")} ${recorded}`, `${style.green("+")} ${now}`];
}

function operationText({ name, args, sent }: ShownOperation): string {
  const bytes = sent === undefined ? "" : ` with ${sent.length} bytes (sha256 ${sent.sha256.slice(0, 12)})`;
  return printable(cut(`${name} ${JSON.stringify(args)}${bytes}`));
}

/** What the tool answered, or why it failed. */
export function outcomeText(outcome: RecordedOutcome): string {
  if (!outcome.ok) {
    const { code, message } = faultToError(outcome.fault);
    return printableLines(cut(`${code} ${message}`)).replaceAll("\n", "\n  | ");
  }
  const { output, parts = [] } = outcome;
  const large = parts.map(({ at, length, sha256 }) => `${at}: ${length} bytes (sha256 ${sha256.slice(0, 12)})`);
  return printable(cut([JSON.stringify(toolAnswer(output)), ...large].join(", ")));
}

/** Without the prelude's wrapping. */
function toolAnswer(output: JsonValue): JsonValue {
  if (!isJsonObject(output)) return output;
  return output["o"] ?? output["t"] ?? null;
}

function cut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
