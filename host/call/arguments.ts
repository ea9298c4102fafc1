/** The argument gate: whatever a door handed in becomes checked, complete, frozen JSON, or every problem at once (SPEC S3). */

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
import { isTime } from "../../sandbox/mod.ts";

/** Arguments as a door has them: parsed, or still text. */
export type RawArguments = JsonValue | JsonArgumentText;

/** Arguments as JSON text. A class, so that no argument value can look like it. */
export class JsonArgumentText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Arguments that a tool can be given, or the `invalid_args` that says what is wrong. */
export type ReadArguments = { readonly ok: true; readonly args: JsonValue } | Misfit;

/** Why there are none; `limit` is there if they go beyond it. */
export interface Misfit {
  readonly ok: false;
  readonly error: ToolErrorData;
  readonly limit?: "argumentBytes" | "jsonDepth";
}

/** A copy of what the caller has now, who may change it while the call waits. What has no JSON form stays as it is: the gate says what is wrong. */
export function asGiven(raw: RawArguments): RawArguments {
  if (raw instanceof JsonArgumentText) return raw;
  const copy = copyJson(raw, { maxBytes: LIMIT_CEILINGS.argumentBytes, maxDepth: LIMIT_CEILINGS.jsonDepth });
  return copy.ok ? copy.value : raw;
}

/** The same for several calls. */
export function requestsAsGiven<T extends { readonly args?: RawArguments }>(requests: readonly T[]): readonly T[] {
  return requests.map((request) => ({ ...request, ...(request.args !== undefined && { args: asGiven(request.args) }) }));
}

/** Whether they are above 64 KB: then every stage of a call takes them in slices (SPEC LV2). */
export function areLarge(raw: RawArguments): boolean {
  return raw instanceof JsonArgumentText ? raw.text.length > LARGE_TEXT : sizeOf(raw) !== undefined;
}

/** As `readArguments`, in slices. */
export function* readLargeArguments(
  schema: JsonSchema,
  raw: RawArguments,
  limits: Pick<Limits, "argumentBytes" | "jsonDepth">,
): Generator<void, ReadArguments> {
  const bounds: JsonBounds = { maxBytes: limits.argumentBytes, maxDepth: limits.jsonDepth };
  const parsed = raw instanceof JsonArgumentText ? toValue(yield* readSlices(raw.text, bounds), bounds) : { ok: true as const, value: raw };
  if (!parsed.ok) return parsed;
  // Measured when it was read: nothing is copied.
  const copy = copyJson(parsed.value, bounds);
  if (!copy.ok) return { ok: false, error: invalidArgs([copy.problem]), ...LIMITS[copy.reason] };
  const args = deepFreeze(yield* applyDefaultsSlices(schema, copy.value));
  noteSameSize(args, copy.value);
  const problems = yield* checkSlices(schema, args);
  return problems.length === 0 ? { ok: true, args } : { ok: false, error: invalidArgs(problems) };
}

export interface ShowOptions extends Omit<TakeInOptions, "maxDepth"> {
  /** Members to hide; undefined where arguments can only be redacted as a value, and are not shown whole therefore. */
  readonly redaction: { readonly isHidden: ((name: string) => boolean) | undefined } | undefined;
}

/** Writes large arguments for the worker that they go to, and as results show them. */
export function* showLarge(args: JsonValue, { redaction, ...options }: ShowOptions): Generator<void, Large | undefined> {
  const text = yield* writeSlices(args);
  noteText(args, text);
  if (redaction === undefined) return undefined;
  const { isHidden } = redaction;
  const shown = isHidden === undefined ? text : yield* writeSlices(args, { isHidden });
  return yield* takeIn({ kind: "json", bytes: new TextEncoder().encode(shown) }, { ...options, maxDepth: LIMIT_CEILINGS.jsonDepth });
}

/** Sizes first, then syntax, then defaults, then the schema. The answer is frozen. */
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

/** The part of a call that says how it is to run. */
export interface CallWishes {
  readonly timeoutMs?: number;
  readonly seed?: string;
  readonly timeMs?: number;
  readonly record?: boolean;
  readonly answer?: unknown;
}

/** What a caller may wish for beside the arguments. Above the limit is no mistake: policy lowers it. */
export function checkWishes({ timeoutMs, seed, timeMs }: CallWishes): ToolErrorData | undefined {
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    return invalidOption("timeoutMs", `${timeoutMs} is no time to run in (give milliseconds above 0, or leave it out)`);
  if (seed !== undefined && (typeof seed !== "string" || seed.length > MAX_SEED_LENGTH))
    return invalidOption("seed", `a seed is a text of at most ${MAX_SEED_LENGTH} characters (give a shorter one, or leave it out)`);
  if (timeMs !== undefined && !isTime(timeMs))
    return invalidOption("timeMs", `${String(timeMs)} is no time (give whole milliseconds since 1970, or leave it out)`);
  return undefined;
}

const MAX_SEED_LENGTH = 1_000;

/** What only the sandbox can give: the embedding program's own code has the machine's time, randomness and files. */
export function checkWorld(call: CallWishes, route: Route): ToolErrorData | undefined {
  const wish = route === "wasm" ? undefined : WORLD_WISHES.find((name) => call[name] !== undefined && call[name] !== false);
  return wish && invalidOption(wish, `the tool runs on the "${route}" route, where that is not possible (leave it out)`);
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
