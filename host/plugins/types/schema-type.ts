/** Converts a schema to the TypeScript type of the values that it accepts. */

import type { JsonSchema, JsonValue, SchemaType } from "../../../manifests/mod.ts";
import { docComment } from "./doc-comment.ts";
import { literalType, memberName } from "./literal.ts";
import { describeSchema } from "./schema-facts.ts";

/** How types are written. */
interface TypeStyle {
  /** True if properties with a default are always present, because the host fills them in (arguments and settings). */
  readonly filled: boolean;
  /** Shared by all types of a manifest. */
  readonly budget: TypeBudget;
}

/** Characters left to write; once they are used up, types become `unknown`. */
export interface TypeBudget {
  characters: number;
}

/** Maximum number of listed values; larger enums become the type of their values. */
const MAX_VALUES = 100;

/**
 * Declares `export interface Name { … }`, or `export type Name = …` for anything but a plain object.
 *
 * An object that lists properties allows only those, unless its schema has `"additionalProperties": true`: any other name is most likely a
 * mistake. Everything is `readonly`, because arguments and settings are frozen.
 */
export function declareType(name: string, schema: JsonSchema, style: TypeStyle): string {
  const isPlain = schema.type === "object" && schema.enum === undefined && schema.const === undefined && hasMembers(schema);
  const type = typeOf(schema, "", style);
  return isPlain && type.startsWith("{") ? `export interface ${name} ${type}` : `export type ${name} = ${type};`;
}

function typeOf(schema: JsonSchema, indent: string, style: TypeStyle): string {
  if (style.budget.characters <= 0) return "unknown";
  if (schema.const !== undefined) return spend(literalType(schema.const), style);
  if (schema.enum !== undefined) return spend(enumType(schema.enum, schema), style);
  const types = listOf(schema.type).map((type) => typeByName(type, schema, indent, style));
  return types.length === 0 ? spend("unknown", style) : [...new Set(types)].join(" | ");
}

function typeByName(type: SchemaType, schema: JsonSchema, indent: string, style: TypeStyle): string {
  if (type === "object") return objectType(schema, indent, style);
  if (type === "array") return arrayType(schema, indent, style);
  return spend(type === "integer" ? "number" : type, style);
}

function arrayType({ items }: JsonSchema, indent: string, style: TypeStyle): string {
  const item = items === undefined ? "unknown" : typeOf(items, indent, style);
  return `ReadonlyArray<${item}>`;
}

function objectType(schema: JsonSchema, indent: string, style: TypeStyle): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (!hasMembers(schema)) return spend(`Readonly<Record<string, ${additionalProperties === false ? "never" : "unknown"}>>`, style);
  const inner = `${indent}  `;
  const lines: string[] = [];
  const needed = new Set(required);
  // Required names without a description accept any value.
  for (const name of needed) if (!Object.hasOwn(properties, name)) lines.push(`${inner}readonly ${memberName(name)}: unknown;`);
  spend(lines.join("\n"), style);
  let isOpen = additionalProperties === true;
  for (const [name, property] of Object.entries(properties)) {
    if (style.budget.characters <= 0) {
      isOpen = true;
      break;
    }
    const mark = needed.has(name) || (style.filled && Object.hasOwn(property, "default")) ? "" : "?";
    const comment = docComment(describeSchema(property), inner);
    spend(comment.join("\n"), style);
    const member = spend(`${inner}readonly ${memberName(name)}${mark}: `, style);
    lines.push(...comment, `${member}${typeOf(property, inner, style)};`);
  }
  if (isOpen) lines.push(`${inner}readonly [name: string]: unknown;`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function hasMembers({ properties = {}, required = [] }: JsonSchema): boolean {
  return Object.keys(properties).length > 0 || required.length > 0;
}

/** Keeps only values that the schema's `type` allows; many values become their types. */
function enumType(values: readonly JsonValue[], schema: JsonSchema): string {
  const types = listOf(schema.type);
  const possible = types.length === 0 ? values : values.filter((value) => types.some((type) => isOf(value, type)));
  const written = possible.length > MAX_VALUES ? possible.map(baseType) : possible.map(literalType);
  return written.length === 0 ? "never" : [...new Set(written)].join(" | ");
}

function isOf(value: JsonValue, type: SchemaType): boolean {
  return type === "integer" ? Number.isInteger(value) : baseType(value) === BASE[type];
}

const BASE: Readonly<Record<SchemaType, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
  object: "Readonly<Record<string, unknown>>",
  array: "ReadonlyArray<unknown>",
};

function baseType(value: JsonValue): string {
  if (value === null) return BASE.null;
  if (typeof value !== "object") return typeof value;
  return Array.isArray(value) ? BASE.array : BASE.object;
}

function listOf(type: JsonSchema["type"]): readonly SchemaType[] {
  if (type === undefined) return [];
  return typeof type === "string" ? [type] : type;
}

function spend(text: string, { budget }: TypeStyle): string {
  budget.characters -= text.length;
  return text;
}
