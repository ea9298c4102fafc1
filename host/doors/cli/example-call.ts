/** Builds an example call of a tool that works as shown: the schema accepts it, and it overwrites no existing file. */

import { checkSchema, checkValue, isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";
import type { ToolView } from "../operations.ts";
import { wordsToArguments } from "./call-arguments.ts";
import { CliError } from "./cli-error.ts";
import { shellWord } from "./paths.ts";
import { printable } from "../../primitives/text.ts";

/** Returns a command with a value for each required argument, or with `--args` if no generated values satisfy the schema. */
export function exampleCall(tool: ToolView, program: string): string {
  const { source, yieldsTo, name, qualifiedName } = tool;
  const { inputSchema } = tool.checks ?? tool;
  // A command connects to an MCP server only for a qualified name.
  const command = `${program} call ${yieldsTo === undefined && source !== "mcp" ? name : qualifiedName}`;
  const made = requiredOf(inputSchema).map((key): readonly [string, JsonValue] => [key, valueOf(key, memberOf(inputSchema, key), tool, 0)]);
  const words = made.map(([key, value]) => wordOf(key, value, memberOf(inputSchema, key)));
  if (!isAccepted(words, tool)) return printable(`${command} --args=arguments.json`);
  return printable([command, ...words.map(shellWord)].join(" "));
}

function isAccepted(words: readonly string[], tool: ToolView): boolean {
  const { inputSchema } = tool.checks ?? tool;
  // A word that starts with a dash would be parsed as an option, and options grant permissions.
  if (words.some((word) => word.startsWith("-"))) return false;
  try {
    const args = wordsToArguments(words, inputSchema, tool.qualifiedName);
    // A schema with keywords that plugins cannot use comes from an MCP server, which checks the arguments itself.
    return checkSchema(inputSchema).length > 0 || checkValue(inputSchema, args).length === 0;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

/** Maximum depth of generated values. */
const MOST_DEPTH = 4;
const MOST_ITEMS = 3;

function valueOf(key: string, schema: JsonObject, tool: ToolView, depth: number): JsonValue {
  for (const values of [schema["examples"], schema["enum"]]) {
    const [example] = Array.isArray(values) ? (values as readonly JsonValue[]) : [];
    if (example !== undefined) return example;
  }
  if (schema["const"] !== undefined) return schema["const"];
  if (schema["default"] !== undefined) return schema["default"];
  switch (typesOf(schema).find((type) => type !== "null")) {
    case "number":
    case "integer":
      return numberOf(schema);
    case "boolean":
      return false;
    case "array": {
      const least = typeof schema["minItems"] === "number" ? Math.min(schema["minItems"], MOST_ITEMS) : 1;
      const { items } = schema;
      if (depth >= MOST_DEPTH || !isJsonObject(items ?? null)) return [];
      return Array.from({ length: least }, () => valueOf(key, items as JsonObject, tool, depth + 1));
    }
    case "object":
      return depth >= MOST_DEPTH
        ? {}
        : Object.fromEntries(requiredOf(schema).map((name) => [name, valueOf(name, memberOf(schema, name), tool, depth + 1)]));
    case undefined:
      return typesOf(schema).length > 0 ? null : textOf(key, schema, tool);
    default:
      return textOf(key, schema, tool);
  }
}

function numberOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: JsonObject): number {
  const least = typeof minimum === "number" ? minimum : typeof exclusiveMinimum === "number" ? Math.floor(exclusiveMinimum) + 1 : 1;
  const most = typeof maximum === "number" ? maximum : typeof exclusiveMaximum === "number" ? Math.ceil(exclusiveMaximum) - 1 : least;
  return Math.min(Math.max(1, least), most);
}

const FORMATS: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  email: "ada@example.com",
  uri: "https://example.com",
  url: "https://example.com",
  uuid: "019a0000-0000-7000-8000-000000000000",
};

/** Returns an example text. A tool with side effects gets a file name that does not exist yet. */
function textOf(key: string, schema: JsonObject, { name, class: kind }: ToolView): string {
  const known = FORMATS[typeof schema["format"] === "string" ? schema["format"] : key];
  if (known !== undefined) return known;
  if (/path|file/iu.test(key)) {
    if (kind !== "none" && kind !== "read") return "new-file.txt";
    return /dir|folder|list/iu.test(name) ? "." : "README.md";
  }
  if (key === "command") return "echo hello";
  if (/^(?:dir|directory|folder)$/iu.test(key)) return ".";
  const { minLength, maxLength } = schema;
  const text = typeof minLength === "number" && minLength <= 100 ? key.padEnd(minLength, "x") : key;
  return typeof maxLength === "number" ? text.slice(0, maxLength) : text;
}

function wordOf(key: string, value: JsonValue, schema: JsonObject): string {
  const types = typesOf(schema);
  if (typeof value === "string" && (types.includes("string") || types.length === 0)) return `${key}=${value}`;
  const isPlain = typeof value === "number" || typeof value === "boolean";
  return isPlain && types.length > 0 && !types.includes("string") ? `${key}=${String(value)}` : `${key}:=${JSON.stringify(value)}`;
}

function typesOf({ type }: JsonObject): readonly JsonValue[] {
  return Array.isArray(type) ? (type as readonly JsonValue[]) : type === undefined ? [] : [type];
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function memberOf({ properties = null }: JsonObject, name: string): JsonObject {
  const member = isJsonObject(properties) && Object.hasOwn(properties, name) ? (properties[name] ?? null) : null;
  return isJsonObject(member) ? member : {};
}
