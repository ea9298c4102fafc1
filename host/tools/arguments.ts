/** The argument gate: whatever a door handed in becomes checked, complete, frozen JSON, or every problem at once (SPEC S3). */

import { applyDefaults, checkValue, type JsonSchema, type JsonValue, type Limits, type Route } from "../../manifests/mod.ts";
import { invalidArgs, invalidJson, invalidOption, type ToolErrorData } from "../errors.ts";
import { copyJson, deepFreeze, type JsonBounds } from "../json/json.ts";
import { readJsonText } from "../json/json-text.ts";
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
  const json = readJsonText(text, bounds);
  if (json.ok) return json;
  if ("position" in json) return { ok: false, error: invalidJson(json.position) };
  const message =
    json.tooLarge === "bytes"
      ? `The value is larger than ${bounds.maxBytes} bytes`
      : `The value is nested deeper than ${bounds.maxDepth} levels`;
  return { ok: false, error: invalidArgs([{ pointer: "", message }]), ...LIMITS[json.tooLarge === "bytes" ? "too_large" : "too_deep"] };
}

const LIMITS = { too_large: { limit: "argumentBytes" }, too_deep: { limit: "jsonDepth" }, not_json: {} } as const;
