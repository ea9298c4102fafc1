/** Converts a schema to the TypeScript type of the values that it accepts. */

import {
  itemsOf,
  type JsonSchema,
  type JsonValue,
  prefixItemsOf,
  schemaIndexOf,
  schemaObject,
  type SchemaType,
  type SubSchema,
} from "../../../manifests/mod.ts";
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

/** The types of one schema. */
interface Writing extends TypeStyle {
  readonly root: JsonSchema;
  readonly name: string;
  /** Names of the schemas that references lead to; each gets a type of its own, so that it may contain itself. */
  readonly named: Map<SubSchema, string>;
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
  const writing: Writing = { ...style, root: schema, name, named: new Map() };
  const isPlain = schema.type === "object" && schema.enum === undefined && schema.const === undefined && hasMembers(schema);
  const type = typeOf(schema, "", writing);
  const declared = [
    isPlain && /^\{[^]*\}$/.test(type) && !hasBranches(schema) ? `export interface ${name} ${type}` : `export type ${name} = ${type};`,
  ];
  // The list grows while it is written.
  for (const [target, own] of writing.named) declared.push(`export type ${own} = ${typeOf(target, "", writing)};`);
  return declared.join("\n\n");
}

/** @param types types of the value that the schemas around this one allow */
function typeOf(given: SubSchema, indent: string, style: Writing, types: readonly SchemaType[] = []): string {
  if (given === false) return spend("never", style);
  const schema = schemaObject(given);
  if (style.budget.characters <= 0) return "unknown";
  const allowed = schema.type === undefined ? types : listOf(schema.type);
  const parts = [ownType(schema, allowed, indent, style), ...branchTypes(schema, allowed, indent, style)].filter(
    (part) => part !== "unknown",
  );
  if (parts.length === 0) return spend("unknown", style);
  return parts.length === 1 ? (parts[0] ?? "") : [...new Set(parts)].map((part) => grouped(part)).join(" & ");
}

function ownType(schema: JsonSchema, allowed: readonly SchemaType[], indent: string, style: Writing): string {
  if (schema.const !== undefined) return spend(literalType(schema.const), style);
  if (schema.enum !== undefined) return spend(enumType(schema.enum, schema), style);
  // A branch that says nothing about its value's parts leaves them to the schema around it.
  if (schema.type === undefined && !hasMembers(schema) && itemsOf(schema) === undefined && prefixItemsOf(schema).length === 0)
    return "unknown";
  const written = allowed.map((type) => typeByName(type, schema, indent, style));
  return written.length === 0 ? "unknown" : [...new Set(written)].join(" | ");
}

/** Types of references and branches. `not`, `if` and the like have no type. */
function branchTypes(schema: JsonSchema, allowed: readonly SchemaType[], indent: string, style: Writing): readonly string[] {
  const target = schemaIndexOf(style.root).refs.get(schema);
  const union = (branches: readonly SubSchema[]): string =>
    [...new Set(branches.map((one) => typeOf(one, indent, style, allowed)))].join(" | ");
  return [
    ...(target === undefined ? [] : [spend(nameOf(target.schema, schema.$ref ?? "", style), style)]),
    ...(schema.allOf ?? []).map((one) => typeOf(one, indent, style, allowed)),
    ...[schema.anyOf, schema.oneOf].flatMap((branches) => (branches === undefined ? [] : [union(branches)])),
  ].map((type) => (/(?:^|\| )unknown(?: \||$)/.test(type) ? "unknown" : type));
}

function hasBranches({ $ref, allOf, anyOf, oneOf }: JsonSchema): boolean {
  return [$ref, allOf, anyOf, oneOf].some((one) => one !== undefined);
}

function nameOf(target: SubSchema, reference: string, { named, name, root }: Writing): string {
  if (target === root) return name;
  const known = named.get(target);
  if (known !== undefined) return known;
  const words = (reference.split(/[/#]/).at(-1) ?? "").split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const own = `${name}${words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("") || "Part"}`;
  const taken = new Set(named.values());
  let free = own;
  for (let number = 2; taken.has(free); number++) free = `${own}${number}`;
  named.set(target, free);
  return free;
}

/** Puts a union into parentheses, for use beside `&`. */
function grouped(type: string): string {
  return type.includes(" | ") ? `(${type})` : type;
}

function typeByName(type: SchemaType, schema: JsonSchema, indent: string, style: Writing): string {
  if (type === "object") return objectType(schema, indent, style);
  if (type === "array") return arrayType(schema, indent, style);
  return spend(type === "integer" ? "number" : type, style);
}

function arrayType(schema: JsonSchema, indent: string, style: Writing): string {
  const items = itemsOf(schema);
  const first = prefixItemsOf(schema);
  const item = items === undefined ? "unknown" : typeOf(items, indent, style);
  if (first.length === 0) return `ReadonlyArray<${item}>`;
  const { minItems = 0 } = schema;
  const listed = first.map((one, index) => `${grouped(typeOf(one, indent, style))}${index < minItems ? "" : "?"}`);
  return `readonly [${[...listed, ...(items === false ? [] : [`...ReadonlyArray<${item}>`])].join(", ")}]`;
}

function objectType(schema: JsonSchema, indent: string, style: Writing): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (Object.keys(properties).length === 0 && required.length === 0) return recordType(schema, indent, style);
  const inner = `${indent}  `;
  const lines: string[] = [];
  const needed = new Set(required);
  // Required names without a description accept any value.
  for (const name of needed) if (!Object.hasOwn(properties, name)) lines.push(`${inner}readonly ${memberName(name)}: unknown;`);
  spend(lines.join("\n"), style);
  // The type of other names must include those of the listed ones.
  let isOpen = additionalProperties === true || typeof additionalProperties === "object" || schema.patternProperties !== undefined;
  for (const [name, given] of Object.entries(properties)) {
    if (style.budget.characters <= 0) {
      isOpen = true;
      break;
    }
    const property = schemaObject(given);
    const mark = needed.has(name) || (style.filled && Object.hasOwn(property, "default")) ? "" : "?";
    const comment = docComment(describeSchema(property), inner);
    spend(comment.join("\n"), style);
    const member = spend(`${inner}readonly ${memberName(name)}${mark}: `, style);
    lines.push(...comment, `${member}${typeOf(given, inner, style)};`);
  }
  if (isOpen) lines.push(`${inner}readonly [name: string]: unknown;`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

/** The type of an object without listed names. */
function recordType({ additionalProperties, patternProperties }: JsonSchema, indent: string, style: Writing): string {
  const others = [...Object.values(patternProperties ?? {}), ...(additionalProperties === undefined ? [] : [additionalProperties])];
  const types = others.map((one) => typeOf(one, indent, style)).filter((type, _, all) => type !== "never" || all.length === 1);
  const isAny = types.length === 0 || types.includes("unknown") || (patternProperties !== undefined && additionalProperties === undefined);
  return spend(`Readonly<Record<string, ${isAny ? "unknown" : [...new Set(types)].join(" | ")}>>`, style);
}

function hasMembers({ properties = {}, required = [], additionalProperties, patternProperties }: JsonSchema): boolean {
  const hasOthers = typeof additionalProperties === "object" || patternProperties !== undefined;
  return Object.keys(properties).length > 0 || required.length > 0 || hasOthers;
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
