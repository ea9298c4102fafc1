/** Formats the changes of a dry run as plain text. */

import { dryRunLines } from "./dry-run-text.ts";
import { createStyle } from "../primitives/style.ts";
import type { DryRunReport } from "./dry-run-report.ts";

export function dryRunText(report: DryRunReport): readonly string[] {
  return ["Nothing was changed. The call would have done this:", ...dryRunLines(report, createStyle(false))];
}
