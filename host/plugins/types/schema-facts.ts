/** Describes facts of a schema that a type cannot express: ranges, lengths, formats, defaults. */

import type { JsonSchema } from "../../../manifests/mod.ts";

const MAX_DEFAULT = 60;

/** Returns the description with the facts: `How many lines to show (whole number, 1 to 100, default 5)`. */
export function describeSchema(schema: JsonSchema): string {
  const { title, description = title ?? "" } = schema;
  const facts = factsOf(schema);
  if (facts.length === 0) return description;
  return description === ""
    ? `${(facts[0] ?? "").charAt(0).toUpperCase()}${facts.join(", ").slice(1)}`
    : `${description} (${facts.join(", ")})`;
}

function factsOf(schema: JsonSchema): readonly string[] {
  const { type, format, minLength, maxLength, minItems, maxItems, minProperties, maxProperties, multipleOf, pattern } = schema;
  const preset = Object.hasOwn(schema, "default") ? JSON.stringify(schema.default) : undefined;
  return [
    type === "integer" && schema.enum === undefined && schema.const === undefined ? "whole number" : undefined,
    range(schema.minimum, schema.maximum),
    schema.exclusiveMinimum === undefined ? undefined : `more than ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum === undefined ? undefined : `less than ${schema.exclusiveMaximum}`,
    range(minLength, maxLength, "character"),
    range(minItems, maxItems, "item"),
    schema.uniqueItems === true ? "no two equal" : undefined,
    range(minProperties, maxProperties, "member"),
    multipleOf === undefined ? undefined : `multiple of ${multipleOf}`,
    pattern === undefined || pattern.length > MAX_DEFAULT ? undefined : `pattern ${pattern}`,
    format === undefined ? undefined : `format ${format}`,
    preset === undefined || preset.length > MAX_DEFAULT ? undefined : `default ${preset}`,
  ].filter((fact) => fact !== undefined);
}

function range(min: number | undefined, max: number | undefined, noun = ""): string | undefined {
  const unit = (count: number): string => (noun === "" ? "" : ` ${noun}${count === 1 ? "" : "s"}`);
  if (min === undefined) return max === undefined ? undefined : `at most ${max}${unit(max)}`;
  if (max === undefined) return `at least ${min}${unit(min)}`;
  return min === max ? `exactly ${min}${unit(min)}` : `${min} to ${max}${unit(max)}`;
}
