/** Checks that a schema accepts its own defaults: otherwise a caller that omits the value would get an error (SPEC S1, S3). */

import { lower } from "../text/document.ts";
import { innerSchemas, type JsonSchema, type SubSchema } from "./json-schema.ts";
import { pointerToken } from "../text/json.ts";
import type { Problem } from "../text/problem.ts";
import { checkDefault } from "./schema-fill.ts";
import type { StepBudget } from "./equal-values.ts";

/** Budget for all defaults of a schema: about ten milliseconds. */
const STEPS = 200_000;

/** Returns the problems of the defaults in a schema that `checkSchema` accepted; pointers begin with `pointer`. */
export function checkDefaults(schema: JsonSchema, pointer: string): readonly Problem[] {
  const problems: Problem[] = [];
  checkNode(schema, pointer, { root: schema, budget: { steps: STEPS }, problems });
  return problems;
}

interface Walk {
  readonly root: JsonSchema;
  readonly budget: StepBudget;
  readonly problems: Problem[];
}

function checkNode(schema: SubSchema, pointer: string, walk: Walk): void {
  const { root, budget, problems } = walk;
  // Reported once, for the default at which the budget ended.
  if (budget.steps <= 0 || typeof schema === "boolean") return;
  if (schema.default !== undefined) {
    const [first] = checkDefault(schema, schema.default, budget, root);
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
  for (const { path, schema: inner } of innerSchemas(schema)) checkNode(inner, `${pointer}/${path.map(pointerToken).join("/")}`, walk);
}
