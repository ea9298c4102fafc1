/** Parses the files `cases/*.json` of a plugin (plugins/README.md). */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, parsePermissions, type Permissions } from "../../manifests/mod.ts";

import { defined } from "../primitives/defined.ts";
import { tryJson } from "../primitives/json/json-text.ts";
import { type CaseAnswer, isOneOf, readCaseAnswers } from "./case-answers.ts";

/** One call and its expected result. */
export interface PluginCase {
  readonly name: string;
  readonly tool: string;
  readonly args: JsonValue;
  /** Texts by path in the workspace. */
  readonly files: ReadonlyMap<string, string>;
  readonly grants: Permissions;
  readonly confirm: boolean;
  readonly timeoutMs?: number;
  /** Seed of the tool's randomness. */
  readonly seed?: string;
  /** The tool's clock at the start, in milliseconds since the epoch. */
  readonly timeMs?: number;
  /** Answers to the tool's operations; absent: the bridges answer. */
  readonly answers?: readonly CaseAnswer[];
  readonly expect: CaseExpectation;
}

interface CaseExpectation {
  readonly ok: boolean;
  readonly output?: JsonValue;
  readonly error?: { readonly code: string; readonly message?: string };
  /** Expected texts after the call; null: the file must not exist. */
  readonly files: ReadonlyMap<string, string | null>;
}

/** The cases of a file, or its problem. */
type CasesRead = { readonly ok: true; readonly cases: readonly PluginCase[] } | { readonly ok: false; readonly message: string };

/** Returns the paths of case files among a plugin's files, sorted. */
export function caseFiles(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  return [...files.keys()].filter((path) => /^cases\/[^/]+\.json$/.test(path)).toSorted();
}

export function readCases(text: string): CasesRead {
  const document = tryJson(text) ?? null;
  if (!isJsonArray(document)) return { ok: false, message: "The file is not a list of cases (write [ … ])" };
  const cases: PluginCase[] = [];
  for (const [index, value] of document.entries()) {
    const read = readCase(value);
    if (typeof read === "string") return { ok: false, message: `Case ${index + 1}: ${read}` };
    cases.push(read);
  }
  return { ok: true, cases };
}

/** Fields of a case; `plugins/cases.schema.json` describes them. */
export const CASE_FIELDS = [
  "name",
  "tool",
  "args",
  "files",
  "grants",
  "confirm",
  "timeoutMs",
  "seed",
  "time",
  "answers",
  "expect",
] as const;
/** Fields of a case's `expect`. */
export const EXPECT_FIELDS = ["ok", "output", "error", "files"] as const;

function readCase(value: JsonValue): PluginCase | string {
  if (!isJsonObject(value)) return "it is not an object";
  const unknown = Object.keys(value).find((key) => !isOneOf(key, CASE_FIELDS));
  if (unknown !== undefined) return `Unknown field "${unknown}" (choose from ${CASE_FIELDS.join(", ")})`;
  const { name, tool, args = {}, files = {}, grants = {}, confirm = true, timeoutMs, expect } = value;
  if (typeof name !== "string" || typeof tool !== "string") return `"name" and "tool" must be text`;
  if (typeof confirm !== "boolean") return `"confirm" must be true or false`;
  if (timeoutMs !== undefined && typeof timeoutMs !== "number") return `"timeoutMs" must be a number`;
  const env = readConditions(value);
  if (typeof env === "string") return env;
  const texts = readTexts(files, false);
  if (texts === undefined) return `"files" must hold text by relative path, inside the workspace`;
  const granted = parsePermissions(grants);
  if (!granted.ok) return `"grants": ${granted.problems.map(({ message }) => message).join("; ")}`;
  const expected = readExpectation(expect);
  if (typeof expected === "string") return expected;
  // Never null, because `allowsNull` was false.
  const contents = new Map([...texts].map(([path, text]) => [path, text ?? ""]));
  return {
    name,
    tool,
    args,
    files: contents,
    grants: granted.value,
    confirm,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...env,
    expect: expected,
  };
}

function readConditions({ seed, time, answers }: JsonObject): Pick<PluginCase, "seed" | "timeMs" | "answers"> | string {
  if (seed !== undefined && typeof seed !== "string") return `"seed" must be text`;
  const timeMs = typeof time === "string" ? Date.parse(time) : undefined;
  if (time !== undefined && (timeMs === undefined || Number.isNaN(timeMs))) return `"time" must be a time such as "2026-01-31T12:00:00Z"`;
  const read = answers === undefined ? undefined : readCaseAnswers(answers);
  if (typeof read === "string") return read;
  return { ...defined({ seed, timeMs }), ...(read && { answers: read }) };
}

function readExpectation(value: JsonValue | undefined): CaseExpectation | string {
  if (value === undefined || !isJsonObject(value) || typeof value["ok"] !== "boolean") return `"expect" must be an object with "ok"`;
  const unknown = Object.keys(value).find((key) => !isOneOf(key, EXPECT_FIELDS));
  if (unknown !== undefined) return `Unknown field "expect/${unknown}" (choose from ${EXPECT_FIELDS.join(", ")})`;
  const { ok, output, error, files = {} } = value;
  const texts = readTexts(files, true);
  if (texts === undefined) return `"expect/files" must hold text or null by relative path, inside the workspace`;
  if (error === undefined) return { ok, files: texts, ...(output !== undefined && { output }) };
  const expected = isJsonObject(error) ? readError(error) : undefined;
  if (expected === undefined) return `"expect/error" must be an object with "code", and "message" if wanted`;
  return { ok, files: texts, ...(output !== undefined && { output }), error: expected };
}

function readError({ code, message }: JsonObject): CaseExpectation["error"] {
  if (typeof code !== "string" || (message !== undefined && typeof message !== "string")) return undefined;
  return { code, ...(message !== undefined && { message }) };
}

/** Refuses paths outside of the workspace: the author of a case is not trusted more than the plugin. */
function readTexts(value: JsonValue, allowsNull: boolean): ReadonlyMap<string, string | null> | undefined {
  if (!isJsonObject(value)) return undefined;
  const texts = new Map<string, string | null>();
  for (const [path, text] of Object.entries(value)) {
    const isInside =
      path !== "" && !/^\/|\\|\0/.test(path) && !path.split("/").some((part) => part === ".." || part === "." || part === "");
    if (!isInside || !(typeof text === "string" || (allowsNull && text === null))) return undefined;
    texts.set(path, text);
  }
  return texts;
}
