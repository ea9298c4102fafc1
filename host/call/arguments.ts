/**
 * The argument gate: converts the arguments of a door to validated, complete and frozen JSON, or reports every problem at once (SPEC S3).
 */

import {
  LIMIT_CEILINGS,
  applyDefaults,
  applyDefaultsSlices,
  checkSlices,
  checkValue,
  type JsonSchema,
  type JsonValue,
  type Limits,
  type Route,
} from "../../manifests/mod.ts";
import { invalidArgs, invalidJson, invalidOption, type ToolErrorData } from "./errors.ts";
import { copyJson, deepFreeze, type JsonBounds } from "../primitives/json/json.ts";
import { noteSameSize, noteText, sizeOf } from "../primitives/json/known-size.ts";
import { LARGE_TEXT, MAX_MEMBERS, readSlices } from "../primitives/json/read-slices.ts";
import { type JsonText, readJsonText } from "../primitives/json/json-text.ts";
import type { Large } from "../primitives/json/large.ts";
import { takeIn, type TakeInOptions } from "../primitives/json/take-in.ts";
import { writeSlices } from "../primitives/json/write-slices.ts";
import { JsonArgumentText, type RawArguments } from "./argument-text.ts";
import { isTime } from "../../sandbox/mod.ts";

/** Valid arguments, or the `invalid_args` error. */
type ReadArguments = { readonly ok: true; readonly args: JsonValue } | Misfit;

/** Refused arguments; `limit` is set if they exceed it. */
export interface Misfit {
  readonly ok: false;
  readonly error: ToolErrorData;
  readonly limit?: "argumentBytes" | "jsonDepth";
}

/**
 * Copies the arguments, because the caller may change them while the call waits. Values without JSON form are returned as they are; the
 * gate reports them.
 */
export function asGiven(raw: RawArguments): RawArguments {
  if (raw instanceof JsonArgumentText) return raw;
  const copy = copyJson(raw, { maxBytes: LIMIT_CEILINGS.argumentBytes, maxDepth: LIMIT_CEILINGS.jsonDepth });
  return copy.ok ? copy.value : raw;
}

/** Copies the arguments of several calls. */
export function requestsAsGiven<T extends { readonly args?: RawArguments }>(requests: readonly T[]): readonly T[] {
  return requests.map((request) => ({ ...request, ...(request.args !== undefined && { args: asGiven(request.args) }) }));
}

/** Returns whether the arguments exceed 64 KB: then every stage of the call processes them in slices (SPEC LV2). */
export function areLarge(raw: RawArguments): boolean {
  return raw instanceof JsonArgumentText ? raw.text.length > LARGE_TEXT : sizeOf(raw) !== undefined;
}

/** Like `readArguments`, in slices. */
export function* readLargeArguments(
  schema: JsonSchema,
  raw: RawArguments,
  limits: Pick<Limits, "argumentBytes" | "jsonDepth">,
): Generator<void, ReadArguments> {
  const bounds: JsonBounds = { maxBytes: limits.argumentBytes, maxDepth: limits.jsonDepth };
  const parsed = raw instanceof JsonArgumentText ? toValue(yield* readSlices(raw.text, bounds), bounds) : { ok: true as const, value: raw };
  if (!parsed.ok) return parsed;
  // Nothing is copied: the value was measured when it was read.
  const copy = copyJson(parsed.value, bounds);
  if (!copy.ok) return { ok: false, error: invalidArgs([copy.problem]), ...LIMITS[copy.reason] };
  const args = deepFreeze(yield* applyDefaultsSlices(schema, copy.value));
  noteSameSize(args, copy.value);
  const problems = yield* checkSlices(schema, args);
  return problems.length === 0 ? { ok: true, args } : { ok: false, error: invalidArgs(problems) };
}

interface ShowOptions extends Omit<TakeInOptions, "maxDepth"> {
  /** Members to hide; undefined if arguments can only be redacted as whole values and are therefore shown as an outline. */
  readonly redaction: { readonly isHidden: ((name: string) => boolean) | undefined } | undefined;
}

/** Writes large arguments, once for their worker and once as results show them. */
export function* showLarge(args: JsonValue, { redaction, ...options }: ShowOptions): Generator<void, Large | undefined> {
  const text = yield* writeSlices(args);
  noteText(args, text);
  if (redaction === undefined) return undefined;
  const { isHidden } = redaction;
  const shown = isHidden === undefined ? text : yield* writeSlices(args, { isHidden });
  return yield* takeIn({ kind: "json", bytes: new TextEncoder().encode(shown) }, { ...options, maxDepth: LIMIT_CEILINGS.jsonDepth });
}

/** Checks sizes, then syntax, fills in defaults, then validates against the schema. The result is frozen. */
export function readArguments(schema: JsonSchema, raw: RawArguments, limits: Pick<Limits, "argumentBytes" | "jsonDepth">): ReadArguments {
  const bounds: JsonBounds = { maxBytes: limits.argumentBytes, maxDepth: limits.jsonDepth };
  const parsed = raw instanceof JsonArgumentText ? readText(raw.text, bounds) : { ok: true as const, value: raw };
  if (!parsed.ok) return parsed;

  const copy = copyJson(parsed.value, bounds);
  if (!copy.ok) return { ok: false, error: invalidArgs([copy.problem]), ...LIMITS[copy.reason] };

  const args = deepFreeze(applyDefaults(schema, copy.value));
  const problems = checkValue(schema, args);
  return problems.length === 0 ? { ok: true, args } : { ok: false, error: invalidArgs(problems) };
}

/** The options of a call that affect how it runs. */
interface RunConditions {
  readonly timeoutMs?: number;
  readonly seed?: string;
  readonly timeMs?: number;
  readonly record?: boolean;
  readonly answer?: unknown;
}

/** Checks the options of a call. Values above a limit are not an error: policy lowers them. */
export function checkCallOptions({ timeoutMs, seed, timeMs }: RunConditions): ToolErrorData | undefined {
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    return invalidOption("timeoutMs", `${timeoutMs} is not a duration (give milliseconds above 0, or leave it out)`);
  if (seed !== undefined && (typeof seed !== "string" || seed.length > MAX_SEED_LENGTH))
    return invalidOption("seed", `a seed has at most ${MAX_SEED_LENGTH} characters (shorten it, or leave it out)`);
  if (timeMs !== undefined && !isTime(timeMs))
    return invalidOption("timeMs", `${String(timeMs)} is not a time (give whole milliseconds since 1970, or leave it out)`);
  return undefined;
}

const MAX_SEED_LENGTH = 1_000;

/** Refuses options that only the sandbox supports: host code has the machine's clock, randomness and files. */
export function checkConditions(call: RunConditions, route: Route): ToolErrorData | undefined {
  const wanted = route === "wasm" ? undefined : WORLD_WISHES.find((name) => call[name] !== undefined && call[name] !== false);
  return wanted && invalidOption(wanted, `the tool runs on the "${route}" route, which does not support this option (leave it out)`);
}

const WORLD_WISHES = ["seed", "timeMs", "record", "answer"] as const;

function readText(text: string, bounds: JsonBounds): { readonly ok: true; readonly value: unknown } | Misfit {
  return toValue(readJsonText(text, bounds), bounds);
}

function toValue(json: JsonText, bounds: JsonBounds): { readonly ok: true; readonly value: unknown } | Misfit {
  if (json.ok) return json;
  if ("position" in json) return { ok: false, error: invalidJson(json.position) };
  if (json.tooLarge === "members")
    return { ok: false, error: invalidArgs([{ pointer: "", message: `An object has more than ${MAX_MEMBERS} members` }]) };
  const message =
    json.tooLarge === "bytes"
      ? `The value is larger than ${bounds.maxBytes} bytes`
      : `The value is nested deeper than ${bounds.maxDepth} levels`;
  return { ok: false, error: invalidArgs([{ pointer: "", message }]), ...LIMITS[json.tooLarge === "bytes" ? "too_large" : "too_deep"] };
}

const LIMITS = { too_large: { limit: "argumentBytes" }, too_deep: { limit: "jsonDepth" }, not_json: {} } as const;
