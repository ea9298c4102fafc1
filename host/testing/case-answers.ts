/** Answers that a case brings: its tool's operations get these, and nothing outside is touched (plugins/README.md). */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import type { HostAnswer, HostCallHandler, HostOperation } from "../../sandbox/mod.ts";
import { equalJson } from "../primitives/json/equal-json.ts";
import { fromBase64, toBase64 } from "../effects/recordings/base64.ts";
import { sha256Hex } from "../primitives/digest.ts";

/** One operation and what it is answered, as the case's file says it: `$workspace` stands for the workspace. */
export interface CaseAnswer {
  readonly operation: string;
  readonly args: JsonValue;
  /** Hex, of the bytes that are sent with it. */
  readonly sha256?: string;
  readonly value?: JsonValue;
  /** Bytes that come with the answer: as text where they are, else in base64. */
  readonly text?: string;
  readonly base64?: string;
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
}

/** Of an answer; `plugins/cases.schema.json` says what each is. */
export const ANSWER_FIELDS = ["operation", "args", "sha256", "value", "text", "base64", "error"] as const;

/** The answers, or what is wrong with them. */
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
  if (unknown !== undefined) return `has no field "${unknown}" (there are ${ANSWER_FIELDS.join(", ")})`;
  const { operation, args = {}, value, error } = item;
  if (typeof operation !== "string") return `must have a text as "operation"`;
  const texts: Partial<Record<"sha256" | "text" | "base64", string>> = {};
  for (const name of ["sha256", "text", "base64"] as const) {
    const text = item[name];
    if (text !== undefined && typeof text !== "string") return `must have a text as "${name}"`;
    if (text !== undefined) texts[name] = text;
  }
  if (texts.base64 !== undefined && fromBase64(texts.base64) === undefined) return `has a "base64" that is none`;
  const thrown = error === undefined ? undefined : readError(error);
  if (error !== undefined && thrown === undefined) return `must have "name" and "message" in its "error"`;
  return { operation, args, ...texts, ...(value !== undefined && { value }), ...(thrown && { error: thrown }) };
}

/** `includes` wants to know beforehand what it is asked. */
export function isOneOf(text: string, texts: readonly string[]): boolean {
  return texts.includes(text);
}

function readError(error: JsonValue): CaseAnswer["error"] {
  const { name, message, code }: JsonObject = isJsonObject(error) ? error : {};
  if (typeof name !== "string" || typeof message !== "string" || (code !== undefined && typeof code !== "string")) return undefined;
  return { name, message, ...(code !== undefined && { code }) };
}

/** What an operation was answered, as a case says it. */
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
    // No text.
    return { base64: toBase64(bytes) };
  }
}

/** Answers while a case runs. */
export interface CaseAnswers {
  readonly answer: HostCallHandler;
  /** What was asked and has no answer, in words. */
  missing(): readonly string[];
}

/** Each answer is given once, to the first operation that asks for just that. */
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
      return { ok: false, error: { name: "Error", message: `The case has no answer to ${asked}` } };
    },
  };
}

function toHostAnswer({ value = null, text, base64, error }: CaseAnswer, workspace: string): HostAnswer {
  if (error !== undefined) return { ok: false, error: { ...error, message: error.message.replaceAll(WORKSPACE, workspace) } };
  const bytes = text === undefined ? base64 && fromBase64(base64) : new TextEncoder().encode(text);
  return { ok: true, value: expandWorkspace(value, workspace), ...(bytes instanceof Uint8Array && { bytes }) };
}

const WORKSPACE = "$workspace";

/** Puts the folder in the place of `$workspace`, in every text. */
export function expandWorkspace<T extends JsonValue>(value: T, workspace: string): T {
  return mapTexts(value, (text) => text.replaceAll(WORKSPACE, () => workspace));
}

/** The other way round. A workspace that is the root is in every path, and stays. */
export function collapseWorkspace(value: JsonValue, workspace: string): JsonValue {
  return workspace.length < 2 ? value : mapTexts(value, (text) => text.replaceAll(workspace, () => WORKSPACE));
}

/** The depth is bounded where the values are made. */
function mapTexts<T extends JsonValue>(value: T, change: (text: string) => string): T {
  // Every kind of value becomes one of its own kind.
  return mapped(value, change) as T;
}

function mapped(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (isJsonArray(value)) return value.map((item) => mapped(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapped(member, change)]));
}
