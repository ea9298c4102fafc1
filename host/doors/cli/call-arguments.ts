/** Reads a tool's arguments from the command line: JSON, `key=value` words, a file, or stdin. */

import type { JsonObject, JsonValue } from "../../../manifests/mod.ts";
import { LIMIT_CEILINGS } from "../../../manifests/mod.ts";
import { FileError, type ClientPlatform } from "../../platform/platform.ts";
import { tryJson } from "../../primitives/json/json-text.ts";
import { usageError } from "./cli-error.ts";
import { nearestName } from "../../tools/nearest.ts";
import { absolutePath } from "./paths.ts";

/** Arguments as JSON text, which the host parses so that every door reports the same errors, or as `key=value` words. */
type CallArguments = { readonly kind: "text"; readonly text: string } | { readonly kind: "words"; readonly words: readonly string[] };

/**
 * Determines the form of the arguments, and reads them.
 *
 * @throws {CliError} if they are given in two forms
 */
export async function readCallArguments(
  words: readonly string[],
  file: string | undefined,
  platform: ClientPlatform,
): Promise<CallArguments> {
  const [first] = words;
  if (file !== undefined && first !== undefined) throw usageError("Give the arguments either with --args or after the tool, not both");
  if (file === "-" || (first === "-" && words.length === 1))
    return { kind: "text", text: await platform.terminal.readInput(LIMIT_CEILINGS.argumentBytes) };
  if (file !== undefined) return { kind: "text", text: await readArgumentFile(absolutePath(file, platform.environment.cwd), platform) };
  if (first !== undefined && words.length === 1 && /^\s*[[{]/u.test(first)) return { kind: "text", text: first };
  return { kind: "words", words };
}

async function readArgumentFile(path: string, platform: ClientPlatform): Promise<string> {
  try {
    return new TextDecoder().decode(await platform.files.readBytes(path, LIMIT_CEILINGS.argumentBytes));
  } catch (error) {
    if (error instanceof FileError)
      throw usageError(`Cannot read "${path}" (from --args): ${error.message}`, ["Give a JSON file, or - for stdin"]);
    throw error;
  }
}

/**
 * Converts `key=value` words to an object. A value is text if the schema says string, otherwise JSON. `key:=json` is always JSON.
 *
 * @throws {CliError} if a word has no `=`, a key occurs twice, or a value does not have the schema's type
 */
export function wordsToArguments(words: readonly string[], schema: JsonObject | undefined, tool: string): JsonObject {
  const properties = objectMember(schema, "properties");
  const args = new Map<string, JsonValue>();
  for (const word of words) {
    const equals = word.indexOf("=");
    if (equals <= 0) throw usageError(`Expected key=value or JSON, not "${word}"`, adviceFor(word, properties, schema, tool));
    const raw = word[equals - 1] === ":";
    const key = word.slice(0, raw ? equals - 1 : equals);
    if (args.has(key)) throw usageError(`Argument "${key}" is given twice`, [`Keep one ${key}=…`]);
    const value = word.slice(equals + 1);
    const schemaOfKey = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    args.set(key, raw ? readJson(key, value) : readValue(key, value, schemaOfKey));
  }
  // fromEntries defines own members, even for `__proto__`.
  return Object.fromEntries(args);
}

function readValue(key: string, value: string, schema: JsonValue | undefined): JsonValue {
  const type = objectMember({ schema: schema ?? null }, "schema")?.["type"];
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (types.includes("string")) return value;
  // Without a schema, take JSON where it parses, and text otherwise.
  if (types.length === 0) return tryJson(value) ?? value;
  const json = tryJson(value);
  if (json === undefined)
    throw usageError(`Argument "${key}" must be of type ${types.join(" or ")}, not "${value}"`, ["Write the value as JSON"]);
  return json;
}

function readJson(key: string, value: string): JsonValue {
  const json = tryJson(value);
  if (json === undefined)
    throw usageError(`Argument "${key}:=" is not valid JSON: "${value}"`, [
      `Quote it for the shell: '${key}:=[1, "two"]'; ${key}=… passes text`,
    ]);
  return json;
}

function adviceFor(word: string, properties: JsonObject | undefined, schema: JsonObject | undefined, tool: string): readonly string[] {
  const names = Object.keys(properties ?? {});
  const required = schema?.["required"];
  const near = nearestName(word, names);
  const name = near ?? (Array.isArray(required) && typeof required[0] === "string" ? required[0] : names[0]);
  return name === undefined ? [`Tool "${tool}" takes no arguments`] : [`Did you mean ${name}=${near === undefined ? word : "…"}?`];
}

function objectMember(value: JsonObject | undefined, name: string): JsonObject | undefined {
  const member = value?.[name];
  return typeof member === "object" && member !== null && !Array.isArray(member) ? (member as JsonObject) : undefined;
}
