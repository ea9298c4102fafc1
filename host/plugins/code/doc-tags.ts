/** Reads doc comments: the description, and the tags that say what a type cannot. */

import { isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { nearestName } from "../../tools/nearest.ts";

/** One tag with the text up to the next tag. `offset` is where the tag begins in the comment. */
interface DocTag {
  readonly name: string;
  readonly text: string;
  readonly offset: number;
}

/** A doc comment. */
export interface Doc {
  readonly description: string;
  readonly tags: readonly DocTag[];
}

export const NO_DOC: Doc = { description: "", tags: [] };

/** Tags of a value: keywords of its schema, with the types that they apply to. */
export const VALUE_TAGS: Readonly<Record<string, "number" | "string" | "array" | "any">> = {
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  integer: "number",
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  format: "string",
  minItems: "array",
  maxItems: "array",
  uniqueItems: "array",
  default: "any",
  example: "any",
  title: "any",
};

/** Tags of a tool: fields of the manifest's tool. */
export const TOOL_TAGS: readonly string[] = [
  "tool",
  "title",
  "category",
  "tags",
  "sideEffects",
  "destructive",
  "determinism",
  "idempotent",
  "requires",
  "timeoutMs",
  "callers",
];

/** Tags of TSDoc and JSDoc that say nothing to a manifest. */
const OTHER_TAGS: ReadonlySet<string> = new Set(
  "param returns return throws see example remarks deprecated internal template typeParam since author todo link inheritDoc defaultValue".split(
    " ",
  ),
);

/** @param text the comment without its opening and closing marks */
export function readDoc(text: string): Doc {
  const marks = [...text.matchAll(/(?<=^[^\S\n]*(?:\*[^\S\n]*)?|[^\S\n])@([A-Za-z]\w*)/gmu)].filter(
    // A tag within a line is one only if it is known: `@` also begins names of packages and people.
    ({ index, 1: name = "" }) => isKnown(name) || /^[\s*]*$/u.test(text.slice(text.lastIndexOf("\n", index) + 1, index)),
  );
  const tags = marks.map(({ index, 0: mark, 1: name = "" }, position): DocTag => {
    return { name, text: plain(text.slice(index + mark.length, marks[position + 1]?.index)), offset: index };
  });
  return { description: plain(text.slice(0, marks[0]?.index)), tags };
}

function isKnown(name: string): boolean {
  return Object.hasOwn(VALUE_TAGS, name) || TOOL_TAGS.includes(name) || OTHER_TAGS.has(name);
}

/** Joins the lines of a comment into one text; `{@link Name}` becomes its name. */
function plain(text: string): string {
  return text
    .replaceAll(/^\s*\*/gmu, " ")
    .replaceAll(/\{@\w+\s+([^}|]+)(?:\|[^}]*)?\}/gu, "$1")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

/** Returns the tag that an unknown one is probably meant to be. Tags that resemble none are other tools' and have no effect. */
export function meantTag(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name) || OTHER_TAGS.has(name)) return undefined;
  return nearestName(name, known);
}

/** Reads a tag's value for a schema keyword. Returns undefined if it does not fit. */
export function tagValue(name: string, text: string, schema: Readonly<Record<string, JsonValue>>): JsonValue | undefined {
  if (name === "integer" || name === "uniqueItems") return text === "" || text === "true" ? true : undefined;
  if (name === "pattern" || name === "format" || name === "title") return text === "" ? undefined : text;
  if (name === "default" || name === "example") return exampleValue(text, schema);
  const number = Number(text);
  return text !== "" && Number.isFinite(number) ? number : undefined;
}

/** JSON; a text may be written without quotation marks if the type is a string. */
function exampleValue(text: string, { type }: Readonly<Record<string, JsonValue>>): JsonValue | undefined {
  const json = /^`(.*)`$/su.exec(text)?.[1] ?? text;
  try {
    const value: unknown = JSON.parse(json);
    if (isJson(value) && (type !== "string" || typeof value === "string")) return value;
  } catch {
    // Not JSON: a text without quotation marks, or a mistake.
  }
  return type === "string" && json !== "" ? json : undefined;
}

function isJson(value: unknown): value is JsonValue {
  return value === null || typeof value !== "object" || Array.isArray(value) || isJsonObject(value);
}

/** Returns advice for a tag of a value that is not valid. */
export function exampleOf(name: string): string {
  const kind = VALUE_TAGS[name];
  if (name === "default" || name === "example") return `write a JSON value, such as "@${name} 5"`;
  return kind === "string" && !name.endsWith("Length") ? `write a text after it` : `write a number, such as "@${name} 5"`;
}
