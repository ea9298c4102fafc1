/** What a dry run would change, as plain text. */

import { dryRunLines } from "../cli/dry-run-text.ts";
import { createStyle } from "../cli/style.ts";
import type { DryRunReport } from "./report.ts";

export function dryRunText(report: DryRunReport): readonly string[] {
  return ["Nothing was changed. The call would have done this:", ...dryRunLines(report, createStyle(false))];
}
