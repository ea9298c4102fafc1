/** Checks that a schema accepts its own defaults: otherwise a caller that omits the value would get an error (SPEC S1, S3). */

import { lower } from "../text/document.ts";
import type { JsonSchema } from "./json-schema.ts";
import { pointerToken } from "../text/json.ts";
import type { Problem } from "../text/problem.ts";
import { checkDefault, type StepBudget } from "./validator.ts";

/** Budget for all defaults of a schema: about ten milliseconds. */
const STEPS = 200_000;

/** Returns the problems of the defaults in a schema that `checkSchema` accepted; pointers begin with `pointer`. */
export function checkDefaults(schema: JsonSchema, pointer: string): readonly Problem[] {
  const problems: Problem[] = [];
  checkNode(schema, pointer, { steps: STEPS }, problems);
  return problems;
}

function checkNode(schema: JsonSchema, pointer: string, budget: StepBudget, problems: Problem[]): void {
  // Reported once, for the default at which the budget ended.
  if (budget.steps <= 0) return;
  if (schema.default !== undefined) {
    const [first] = checkDefault(schema, schema.default, budget);
    if (first !== undefined) {
      const where = first.pointer === "" ? "Its default" : `Its default, at "${first.pointer}",`;
      const message = `${where} does not fit the schema: ${lower(first.message)}`;
      problems.push({
        severity: "error",
        pointer: `${pointer}/default`,
        message,
        fix: "change the default or the schema, or leave the default out",
      });
    }
  }
  if (schema.items !== undefined) checkNode(schema.items, `${pointer}/items`, budget, problems);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    checkNode(property, `${pointer}/properties/${pointerToken(name)}`, budget, problems);
}
