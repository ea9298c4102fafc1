/** Recorded answers of a case: the operations of its tool get these answers, and nothing outside is touched (plugins/README.md). */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import type { HostAnswer, HostCallHandler, HostOperation } from "../../sandbox/mod.ts";
import { equalJson } from "../primitives/json/equal-json.ts";
import { fromBase64, toBase64 } from "../effects/recordings/base64.ts";
import { sha256Hex } from "../primitives/digest.ts";

/** One operation and its answer, as in the case's file: `$workspace` stands for the workspace. */
export interface CaseAnswer {
  readonly operation: string;
  readonly args: JsonValue;
  /** SHA-256 of the bytes sent with the operation, in hex. */
  readonly sha256?: string;
  readonly value?: JsonValue;
  /** Bytes of the answer: as text if they are UTF-8, otherwise in base64. */
  readonly text?: string;
  readonly base64?: string;
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
}

/** Fields of an answer; `plugins/cases.schema.json` describes them. */
export const ANSWER_FIELDS = ["operation", "args", "sha256", "value", "text", "base64", "error"] as const;

/** Returns the answers, or the problem. */
export function readCaseAnswers(value: JsonValue): readonly CaseAnswer[] | string {
  if (!isJsonArray(value)) return `"answers" must be a list`;
  const answers: CaseAnswer[] = [];
  for (const [index, item] of value.entries()) {
    const read = readAnswer(item);
    if (typeof read === "string") return `"answers/${index}" ${read}`;
    answers.push(read);
  }
  return answers;
}

function readAnswer(item: JsonValue): CaseAnswer | string {
  if (!isJsonObject(item)) return "must be an object";
  const unknown = Object.keys(item).find((key) => !isOneOf(key, ANSWER_FIELDS));
  if (unknown !== undefined) return `has the unknown field "${unknown}" (choose from ${ANSWER_FIELDS.join(", ")})`;
  const { operation, args = {}, value, error } = item;
  if (typeof operation !== "string") return `must have the text "operation"`;
  const texts: Partial<Record<"sha256" | "text" | "base64", string>> = {};
  for (const name of ["sha256", "text", "base64"] as const) {
    const text = item[name];
    if (text !== undefined && typeof text !== "string") return `must have text in "${name}"`;
    if (text !== undefined) texts[name] = text;
  }
  if (texts.base64 !== undefined && fromBase64(texts.base64) === undefined) return `has invalid base64 in "base64"`;
  const thrown = error === undefined ? undefined : readError(error);
  if (error !== undefined && thrown === undefined) return `must have "name" and "message" in its "error"`;
  return { operation, args, ...texts, ...(value !== undefined && { value }), ...(thrown && { error: thrown }) };
}

/** Narrows a string to one of a readonly list; `includes` alone does not accept a wider type. */
export function isOneOf(text: string, texts: readonly string[]): boolean {
  return texts.includes(text);
}

function readError(error: JsonValue): CaseAnswer["error"] {
  const { name, message, code }: JsonObject = isJsonObject(error) ? error : {};
  if (typeof name !== "string" || typeof message !== "string" || (code !== undefined && typeof code !== "string")) return undefined;
  return { name, message, ...(code !== undefined && { code }) };
}

/** Converts the answer of an operation to the form of a case. */
export function toCaseAnswer({ name, args }: HostOperation, sha256: string | undefined, answer: HostAnswer): CaseAnswer {
  const asked = { operation: name, args, ...(sha256 !== undefined && { sha256 }) };
  if (!answer.ok) return { ...asked, error: answer.error };
  const { value, bytes } = answer;
  return { ...asked, ...(value !== null && { value }), ...(bytes !== undefined && toText(bytes)) };
}

function toText(bytes: Uint8Array): Pick<CaseAnswer, "text" | "base64"> {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    // The bytes are not UTF-8.
    return { base64: toBase64(bytes) };
  }
}

/** The answers of a running case. */
interface CaseAnswers {
  readonly answer: HostCallHandler;
  /** Returns the operations without an answer, as text. */
  missing(): readonly string[];
}

/** Gives each answer once, to the first operation with the same name, arguments and bytes. */
export function createCaseAnswers(answers: readonly CaseAnswer[], workspace: string): CaseAnswers {
  const left = answers.map((answer) => ({ ...answer, args: expandWorkspace(answer.args, workspace) }));
  const missing: string[] = [];
  return {
    missing: () => missing,
    async answer(operation) {
      const sha256 = operation.bytes && (await sha256Hex(new Uint8Array(operation.bytes)));
      const index = left.findIndex(
        (answer) => answer.operation === operation.name && answer.sha256 === sha256 && equalJson(answer.args, operation.args),
      );
      const [found] = index < 0 ? [] : left.splice(index, 1);
      if (found !== undefined) return toHostAnswer(found, workspace);
      const asked = `${operation.name} ${JSON.stringify(operation.args)}${sha256 === undefined ? "" : ` with bytes of sha256 ${sha256}`}`;
      missing.push(asked);
      return { ok: false, error: { name: "Error", message: `The case has no answer for ${asked}` } };
    },
  };
}

function toHostAnswer({ value = null, text, base64, error }: CaseAnswer, workspace: string): HostAnswer {
  if (error !== undefined) return { ok: false, error: { ...error, message: error.message.replaceAll(WORKSPACE, workspace) } };
  const bytes = text === undefined ? base64 && fromBase64(base64) : new TextEncoder().encode(text);
  return { ok: true, value: expandWorkspace(value, workspace), ...(bytes instanceof Uint8Array && { bytes }) };
}

const WORKSPACE = "$workspace";

/** Replaces `$workspace` by the folder in every text. */
export function expandWorkspace<T extends JsonValue>(value: T, workspace: string): T {
  return mapTexts(value, (text) => text.replaceAll(WORKSPACE, () => workspace));
}

/** Replaces the folder by `$workspace`. A workspace that is the root is a part of every path, so it is not replaced. */
export function collapseWorkspace(value: JsonValue, workspace: string): JsonValue {
  return workspace.length < 2 ? value : mapTexts(value, (text) => text.replaceAll(workspace, () => WORKSPACE));
}

/** Maps all texts of a value. Its depth must be bounded. */
function mapTexts<T extends JsonValue>(value: T, change: (text: string) => string): T {
  // Every kind of value is mapped to the same kind.
  return mapped(value, change) as T;
}

function mapped(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (isJsonArray(value)) return value.map((item) => mapped(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapped(member, change)]));
}
