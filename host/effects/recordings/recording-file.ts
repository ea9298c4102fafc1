/** Writes and reads the file of a recording. The text is hostile: every member is checked. */

import {
  DEFAULT_LIMITS,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  LIMIT_CEILINGS,
  type Limits,
} from "../../../manifests/mod.ts";
import { type Fault, isFault, isTape, isTime, type Tape } from "../../../sandbox/mod.ts";
import { joined, piecesOf } from "../../primitives/json/json-bytes.ts";
import { readJsonText } from "../../primitives/json/json-text.ts";
import { jsonPieces } from "../../primitives/json/write-slices.ts";
import type { RunningHash } from "../../platform/platform.ts";
import { sha256Hex } from "../../primitives/digest.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import {
  type Recording,
  type RecordedAnswer,
  type RecordedOperation,
  type RecordedOutcome,
  type RecordedPart,
  MAX_RECORDING_BYTES,
  type SentBytes,
} from "../../call/recording.ts";

/** The recording, or why the text is not valid. */
type RecordingRead = { readonly ok: true; readonly recording: Recording } | { readonly ok: false; readonly message: string };

const VERSION = 1;
/** The maximum depth of a value that a guest may send, plus the levels of the recording around it. */
const MAX_DEPTH = LIMIT_CEILINGS.jsonDepth + 8;
const HASH = /^\{"sha256":"([0-9a-f]{64})",/;

/** Writes and hashes the file in slices (SPEC LV2). Returns undefined if it is too long. */
export function* recordingBytes(
  recording: Recording<JsonValue | LargeJson>,
  sha256: () => RunningHash,
): Generator<void, Uint8Array | undefined> {
  const hash = sha256();
  const parts = yield* writtenParts({ version: VERSION, ...recording }, MAX_RECORDING_BYTES);
  if (parts === undefined) return undefined;
  for (const part of parts) {
    hash.update(part);
    yield;
  }
  const [first = new Uint8Array(), ...rest] = parts;
  return yield* joined([encoder.encode(`{"sha256":"${hash.hex()}",`), first.subarray(1), ...rest]);
}

/** Writes a plugin's files as JSON: base64 by path. */
export function* filesBytes(files: ReadonlyMap<string, Uint8Array>): Generator<void, Uint8Array> {
  return yield* joined((yield* writtenParts(Object.fromEntries(files), Infinity)) ?? []);
}

const encoder = new TextEncoder();

function* writtenParts(body: object, maxBytes: number): Generator<void, readonly Uint8Array[] | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  // Values that are not JSON are written by `leafPieces`.
  for (const piece of jsonPieces(body as JsonValue, { leaf: leafPieces })) {
    const bytes = encoder.encode(piece);
    length += bytes.length;
    if (length > maxBytes) return undefined;
    parts.push(bytes);
    yield;
  }
  return parts;
}

/** A value above 64 KB, held as its JSON bytes. */
export class LargeJson {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

function leafPieces(item: object): Iterable<string> | undefined {
  if (item instanceof LargeJson) return texts(item.bytes);
  return item instanceof Uint8Array ? base64Texts(item) : undefined;
}

function* texts(bytes: Uint8Array): Generator<string, void> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (const piece of piecesOf(bytes)) yield decoder.decode(piece, { stream: true });
}

function* base64Texts(bytes: Uint8Array): Generator<string, void> {
  yield '"';
  for (let at = 0; at < bytes.length; at += BASE64_BYTES) yield toBase64(bytes.subarray(at, at + BASE64_BYTES));
  yield '"';
}

/** A multiple of three, so that only the last piece is padded. */
const BASE64_BYTES = 48 * 1024;

export async function readRecording(text: string): Promise<RecordingRead> {
  const json = readJsonText(text, { maxBytes: MAX_RECORDING_BYTES, maxDepth: MAX_DEPTH });
  if (!json.ok) return refused("tooLarge" in json ? "it is too large or too deep" : `it is not valid JSON (at position ${json.position})`);
  const hash = HASH.exec(text)?.[1];
  if (hash === undefined) return refused("it does not begin with its hash");
  if (hash !== (await sha256Hex(`{${text.slice(HASH.exec(text)?.[0].length ?? 0)}`))) return refused("it was changed after it was written");
  // The result of JSON.parse is JSON.
  const value = json.value as JsonValue;
  if (!isJsonObject(value) || value["version"] !== VERSION) return refused(`its version is not ${VERSION}`);
  const recording = toRecording(value);
  return typeof recording === "string" ? refused(`its member "${recording}" is not valid`) : { ok: true, recording };
}

function refused(reason: string): RecordingRead {
  return { ok: false, message: `Cannot use the recording: ${reason}` };
}

/** Returns the recording, or the name of the first member that is not valid. */
function toRecording(value: JsonObject): Recording | string {
  const texts = ["callId", "tool", "plugin", "digest", "contextText", "seed"];
  const wrong = texts.find((name) => typeof value[name] !== "string");
  if (wrong !== undefined) return wrong;
  const { recordedMs, args, timeMs, isRedacted } = value;
  if (!isTime(recordedMs)) return "recordedMs";
  if (args === undefined) return "args";
  if (!isContext(value["contextText"])) return "contextText";
  if (timeMs !== undefined && !isTime(timeMs)) return "timeMs";
  if (typeof isRedacted !== "boolean") return "isRedacted";
  const limits = toLimits(value["limits"]);
  if (limits === undefined) return "limits";
  const tape = toTape(value["tape"]);
  if (tape === undefined) return "tape";
  const operations = toOperations(value["operations"]);
  if (operations === undefined) return "operations";
  const { hostMs } = value;
  if (hostMs !== undefined && !(isJsonArray(hostMs) && hostMs.length === operations.length && hostMs.every(isDuration))) return "hostMs";
  const outcome = toOutcome(value["outcome"]);
  if (outcome === undefined) return "outcome";
  const used = toRecord(value["used"], ["fuel", "operations", "logBytes", "outputBytes"], isCount);
  if (used === undefined) return "used";
  const machine = toRecord(value["machine"], ["bascule", "runtime", "timeZone", "language"], isText);
  if (machine === undefined) return "machine";
  // All of these were checked to be strings above.
  const named = value as unknown as Pick<Recording, "callId" | "tool" | "plugin" | "digest" | "contextText" | "seed">;
  const { callId, tool, plugin, digest, contextText, seed } = named;
  const own = { callId, tool, plugin, digest, contextText, seed, recordedMs, args, isRedacted, ...(timeMs !== undefined && { timeMs }) };
  const times = hostMs === undefined ? {} : { hostMs };
  return { ...own, limits, tape, operations, ...times, outcome, used, machine };
}

/** The guest's prelude reads the context as an object. */
function isContext(text: JsonValue | undefined): boolean {
  const json = typeof text === "string" ? readJsonText(text, { maxBytes: MAX_RECORDING_BYTES, maxDepth: MAX_DEPTH }) : undefined;
  return json?.ok === true && typeof json.value === "object" && json.value !== null && !Array.isArray(json.value);
}

function toLimits(value: JsonValue | undefined): Limits | undefined {
  const names = Object.keys(LIMIT_CEILINGS) as (keyof Limits)[];
  // Recordings of earlier versions lack it.
  const whole = isJsonObject(value) ? { dataBytes: DEFAULT_LIMITS.dataBytes, ...value } : value;
  const limits = toRecord(whole, names, (limit): limit is number => typeof limit === "number" && limit >= 1);
  return limits !== undefined && names.every((name) => limits[name] <= LIMIT_CEILINGS[name]) ? limits : undefined;
}

function toTape(value: JsonValue | undefined): Tape | undefined {
  if (!isJsonObject(value) || !isJsonArray(value["crypto"])) return undefined;
  const crypto = value["crypto"].map((answer) => (isJsonObject(answer) ? withBytes(answer) : answer));
  const tape: unknown = { ...value, crypto };
  return isTape(tape) ? tape : undefined;
}

function toOperations(value: JsonValue | undefined): readonly RecordedOperation[] | undefined {
  if (!isJsonArray(value)) return undefined;
  const operations = value.map(toOperation);
  return operations.every((operation) => operation !== undefined) ? operations : undefined;
}

function toOperation(value: JsonValue): RecordedOperation | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, args, sent, answer } = value;
  if (typeof name !== "string" || args === undefined) return undefined;
  const known = sent === undefined ? undefined : toSent(sent);
  const answered = answer === undefined ? undefined : toAnswer(answer);
  if ((sent !== undefined && known === undefined) || (answer !== undefined && answered === undefined)) return undefined;
  return { name, args, ...(known && { sent: known }), ...(answered && { answer: answered }) };
}

function toSent(value: JsonValue): SentBytes | undefined {
  if (!isJsonObject(value)) return undefined;
  const { length, sha256 } = value;
  return isCount(length) && typeof sha256 === "string" ? { length, sha256 } : undefined;
}

function toAnswer(value: JsonValue): RecordedAnswer | undefined {
  if (!isJsonObject(value)) return undefined;
  const { ok, value: answered, error } = value;
  if (ok === true && answered !== undefined) {
    const { bytes } = withBytes(value);
    if (bytes !== undefined && !(bytes instanceof Uint8Array)) return undefined;
    return { ok, value: answered, ...(bytes !== undefined && { bytes }) };
  }
  if (ok !== false || !isJsonObject(error)) return undefined;
  const { name, message, code } = error;
  if (typeof name !== "string" || typeof message !== "string" || (code !== undefined && typeof code !== "string")) return undefined;
  return { ok, error: { name, message, ...(code !== undefined && { code }) } };
}

function toOutcome(value: JsonValue | undefined): RecordedOutcome | undefined {
  if (!isJsonObject(value)) return undefined;
  const { ok, output, parts, fault } = value;
  if (ok === true && output !== undefined && parts === undefined) return { ok, output };
  if (ok === true && output !== undefined && isJsonArray(parts)) {
    const recorded = parts.flatMap((part) => toPart(part) ?? []);
    return recorded.length === parts.length ? { ok, output, parts: recorded } : undefined;
  }
  const shape: unknown = fault;
  return ok === false && isFault(shape) ? { ok, fault: shape satisfies Fault } : undefined;
}

function toPart(value: JsonValue): RecordedPart | undefined {
  const { at, length, sha256 } = isJsonObject(value) ? value : {};
  return typeof at === "string" && typeof length === "number" && typeof sha256 === "string" ? { at, length, sha256 } : undefined;
}

function toRecord<K extends string, V>(
  value: JsonValue | undefined,
  names: readonly K[],
  check: (member: JsonValue | undefined) => member is V & JsonValue,
): Readonly<Record<K, V>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const members: [K, V][] = [];
  for (const name of names) {
    const member = value[name];
    if (!check(member)) return undefined;
    members.push([name, member]);
  }
  // Every name has been given a member above.
  return Object.fromEntries(members) as Record<K, V>;
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isDuration(value: JsonValue): value is number {
  return typeof value === "number" && value >= -1;
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string";
}

/** Decodes `bytes`. Text that is not valid base64 stays text, and the check of the type refuses it. */
function withBytes(value: JsonObject): Readonly<Record<string, unknown>> {
  const { bytes } = value;
  return typeof bytes === "string" ? { ...value, bytes: fromBase64(bytes) ?? bytes } : value;
}
