/** Converts the large parts of an output that reached the host as a value into bytes, in slices (SPEC LV2). */

import {
  checkSlices,
  hasLoneSurrogate,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "../../manifests/mod.ts";
import { joined } from "../primitives/json/json-bytes.ts";
import { jsonPieces, textPieces } from "../primitives/json/write-slices.ts";
import type { LargePart, Outcome } from "../tools/execution.ts";
import { failureText, type OutcomeFacts, partsOutcome, plainOutcome, shortened } from "./output.ts";
import { LONG_MEMBERS } from "../call/content-block.ts";

/** Plain JSON, or the parts of a tool output if `isTold`. */
interface ReturnedValue {
  readonly value: JsonValue;
  readonly isTold: boolean;
  readonly schema: JsonSchema | undefined;
  /** Keeps links to files, as in `PartsOptions`. */
  readonly linksToFiles?: boolean;
}

export function* largeOutcome(
  { value, isTold, schema, linksToFiles = false }: ReturnedValue,
  facts: OutcomeFacts,
): Generator<void, Outcome> {
  const parts: LargePart[] = [];
  if (!isTold || !isJsonObject(value)) {
    const problems = schema === undefined ? [] : yield* checkSlices(schema, value);
    parts.push(yield* largePart("output", value));
    return plainOutcome(null, { ...facts, problems }, parts);
  }
  const { output = null } = value;
  const problems = schema === undefined ? [] : yield* checkSlices(schema, output);
  const rest: Record<string, JsonValue> = { ...value, output: null };
  if (output !== null) parts.push(yield* largePart("output", output));
  if (value["metadata"] !== undefined) {
    parts.push(yield* largePart("metadata", value["metadata"]));
    rest["metadata"] = {};
  }
  const { content = [] } = value;
  if (isJsonArray(content)) rest["content"] = yield* withoutLongTexts(content, parts);
  const reason = shortened(failureText(output, isJsonArray(content) ? content : []));
  return partsOutcome(rest, { ...facts, problems }, parts, { reason, linksToFiles });
}

/** Maximum length of a block's string that stays a value, in UTF-16 units; longer ones become bytes. */
const LONG_STRING = 1_024;

function* withoutLongTexts(blocks: readonly JsonValue[], parts: LargePart[]): Generator<void, JsonValue> {
  const short: JsonValue[] = [];
  for (const [index, block] of blocks.entries()) {
    const changed: Record<string, JsonValue> = {};
    for (const name of LONG_MEMBERS) {
      const text = isJsonObject(block) ? block[name] : undefined;
      if (typeof text !== "string" || text.length <= LONG_STRING) continue;
      changed[name] = "";
      parts.push(yield* largePart(`content/${index}/${name}`, text));
    }
    short.push({ ...(block as JsonObject), ...changed });
    yield;
  }
  return short;
}

/**
 * Encodes a string as its text, so that it can be cut and read without parsing. A string with lone surrogates becomes JSON, because UTF-8
 * cannot carry it.
 */
export function* largePart(at: string, value: JsonValue): Generator<void, LargePart> {
  const isText = typeof value === "string" && !hasLoneSurrogate(value);
  const encoder = new TextEncoder();
  const bytes: Uint8Array[] = [];
  for (const piece of isText ? textPieces(value) : jsonPieces(value, {})) {
    bytes.push(encoder.encode(piece));
    yield;
  }
  return { at, kind: isText ? "text" : "json", bytes: yield* joined(bytes) };
}
