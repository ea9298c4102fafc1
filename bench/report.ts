/** Output of a run: rows as JSON, the table of figures, the table of targets. */

import type { Measured } from "./measure.ts";
import { figureOf, meets, targetOf } from "./targets.ts";

/** A benchmark's id with its result, or the reason why it failed. */
export type Outcome =
  | { readonly id: string; readonly ok: true; readonly measured: Measured }
  | { readonly id: string; readonly ok: false; readonly message: string };

/** The document of SPEC appendix C; a failed benchmark has no row. */
export function toJson(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap((outcome) => {
    if (!outcome.ok) return [];
    const { value, unit, baseline, ratio } = outcome.measured;
    return [{ id: outcome.id, value, unit, baseline, ratio }];
  });
  return JSON.stringify({ rows });
}

/** True if the benchmark ran and met its target. */
export function isMet(outcome: Outcome): boolean {
  return outcome.ok && meets(targetOf(outcome.id), outcome.measured);
}

/** Table of id, target, value, ok. */
export function toCheckTable(outcomes: readonly Outcome[]): string {
  const lines = outcomes.map((outcome) => {
    const target = targetOf(outcome.id);
    const figure = outcome.ok ? short(figureOf(target, outcome.measured)) : "failed";
    return [outcome.id, `${target.must} ${short(target.limit)}`, figure, isMet(outcome) ? "yes" : "NO"];
  });
  return toTable([["id", "target", "value", "ok"], ...lines]);
}

/** Table of all figures with their units and notes. */
export function toFigures(outcomes: readonly Outcome[]): string {
  const lines = outcomes.map((outcome) => {
    const target = targetOf(outcome.id);
    const wanted = `${target.of} ${target.must} ${short(target.limit)}`;
    if (!outcome.ok) return [outcome.id, "failed", "", "", wanted, "NO", outcome.message];
    const { value, unit, baseline, ratio } = outcome.measured;
    const found = [`${short(value)} ${unit}`, baseline === null ? "" : `${short(baseline)} ${unit}`, ratio === null ? "" : short(ratio)];
    return [outcome.id, ...found, wanted, isMet(outcome) ? "yes" : "NO", target.what];
  });
  const notes = outcomes.flatMap((outcome) =>
    outcome.ok && outcome.measured.note !== undefined ? [`${outcome.id}: ${outcome.measured.note}`] : [],
  );
  return [toTable([["id", "value", "baseline", "ratio", "target", "ok", "what"], ...lines]), ...notes].join("\n");
}

/** Formats small numbers with three decimals, large ones with none. */
function short(figure: number): string {
  return Math.abs(figure) >= 1_000 ? Math.round(figure).toLocaleString("en") : String(Number(figure.toPrecision(3)));
}

function toTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
