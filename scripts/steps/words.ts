/** The words step: comments, messages and pages are in plain words (docs/style.md). */

import { checkWords, formatFinding } from "../words.ts";
import { type StepOutcome, outcomeOf } from "./step.ts";

export function checkPlainWords(): Promise<StepOutcome> {
  const { comments, findings, failures } = checkWords();
  const complaints = failures.length === 0 ? [] : [...findings.map(formatFinding), ...failures];
  return Promise.resolve(outcomeOf(complaints, `${findings.length} findings in ${comments} comments and all pages`));
}
