/** Records calls while they run, by wrapping the one function that answers a guest (architecture, decision 9, SPEC B8). */

import type { JsonValue, Limits, RecordMode } from "../../../manifests/mod.ts";
import {
  type CallConditions,
  type Fault,
  type HostAnswer,
  type HostCallHandler,
  type HostOperation,
  type InvocationOutcome,
  type InvocationUsed,
  LARGE_BYTES,
} from "../../../sandbox/mod.ts";
import type { ToolCall } from "../../call/call.ts";
import { toHex } from "../../platform/bytes.ts";
import { hashBytes, type Hasher, joined, piecesOf } from "../../primitives/json/json-bytes.ts";
import { sizeOf as knownSize } from "../../primitives/json/known-size.ts";
import { readLarge } from "../../primitives/json/read-slices.ts";
import { jsonPieces } from "../../primitives/json/write-slices.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import {
  type Recording,
  type RecordedAnswer,
  type RecordedOperation,
  type RecordedUse,
  MAX_RECORDING_BYTES,
  type RecordingSummary,
  type SentBytes,
} from "../../call/recording.ts";
import { type RedactBytes, recordedParts } from "./recorded-parts.ts";
import { LargeJson, recordingBytes } from "./recording-file.ts";
import { machineOf } from "./machine.ts";
import type { Platform } from "../../platform/platform.ts";
import type { RecordingStore } from "./store.ts";

/** The facts of a call that are recorded before it begins. */
interface RecordedCall {
  readonly call: ToolCall;
  readonly tool: string;
  readonly version: PluginVersion;
  readonly args: JsonValue;
  readonly contextText: string;
  readonly limits: Limits;
}

/** The recording of one running call. */
export interface OpenRecording {
  readonly conditions: CallConditions;
  /** Returns a handler that answers as `handler` does and records the answers. */
  wrap(handler: HostCallHandler): HostCallHandler;
  /** Stores the recording if it is to be kept. Never rejects. Returns undefined if the call asked for no recording. */
  end(outcome: InvocationOutcome): Promise<RecordingSummary | undefined>;
}

export interface Recorder {
  /** Returns undefined if the call is not to be recorded. */
  begin(recorded: RecordedCall): OpenRecording | undefined;
}

interface RecorderOptions {
  readonly platform: Pick<Platform, "clock" | "random" | "workers" | "slices" | "sha256">;
  readonly store: RecordingStore;
  /** Default for calls that do not say whether they are recorded. Read for each call. */
  readonly mode: () => RecordMode;
  /** Removes secrets and private values (SPEC AU4, C7). */
  readonly redact: (value: JsonValue) => JsonValue;
  /** How JSON above 64 KB is redacted besides secrets. Undefined if the redaction takes whole values only; then large ones are not kept. */
  readonly redactLarge: () => { readonly isHidden: ((name: string) => boolean) | undefined } | undefined;
  readonly redactBytes: RedactBytes;
  readonly onDefect: (message: string, error?: unknown) => void;
}

/** Bound for all calls that are being recorded, together. */
const MAX_OPEN_BYTES = 8 * MAX_RECORDING_BYTES;
/** Size counted for an operation in addition to its texts. */
const OPERATION_BYTES = 100;

interface OpenOperation {
  readonly operation: Required<Pick<HostOperation, "name" | "args" | "argsLength">>;
  readonly sent: Promise<SentBytes> | undefined;
  answer: HostAnswer | undefined;
  /** Number of the operation in its call. Large arguments are read later, so operations may begin in another order. */
  readonly place: number;
  readonly begunAt: number;
  hostMs: number;
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { clock, random } = options.platform;
  let openBytes = 0;

  function begin(recorded: RecordedCall): OpenRecording | undefined {
    const { call, version } = recorded;
    const mode = call.record === true ? "all" : options.mode();
    if (mode === "none" || call.record === false) return undefined;
    const seed = call.seed ?? toHex(random.bytes(32));
    const recordedMs = clock.now();
    const operations: OpenOperation[] = [];
    let bytes = 0;
    let isOpen = true;
    let given: string | undefined = version.manifest.state === "session" ? "its plugin keeps state between calls" : undefined;

    /** Counts bytes against the bounds. Returns false if they do not fit; then nothing more is kept. */
    function take(more: number): boolean {
      // Answers may arrive long after the call has ended.
      if (!isOpen) return false;
      if (given === undefined && bytes + more > MAX_RECORDING_BYTES)
        given = `its operations and answers are larger than ${MAX_RECORDING_BYTES} bytes`;
      if (given === undefined && openBytes + more > MAX_OPEN_BYTES) given = "too many calls are being recorded at the same time";
      if (given !== undefined) {
        operations.length = 0;
        openBytes -= bytes;
        bytes = 0;
        return false;
      }
      bytes += more;
      openBytes += more;
      return true;
    }

    function asked({
      name,
      args,
      argsLength = sizeOf(args),
      bytes: sent,
      place = operations.length + 1,
    }: HostOperation): OpenOperation | undefined {
      if (!take(OPERATION_BYTES + name.length + argsLength)) return undefined;
      const open = {
        operation: { name, args, argsLength },
        sent: sent === undefined ? undefined : hashOf(sent, options.platform),
        answer: undefined,
        place,
        begunAt: clock.monotonic(),
        hostMs: -1,
      };
      operations.push(open);
      return open;
    }

    async function end(outcome: InvocationOutcome): Promise<RecordingSummary | undefined> {
      const { tape } = outcome;
      if (mode === "failures" && outcome.ok) return undefined;
      take(0);
      if (given === undefined && tape === "too_long") given = "it read the clock or set timers too often";
      if (given !== undefined) return { kept: false, reason: given };
      // The worker that ran the call was terminated, or the call never began.
      if (tape === undefined || tape === "too_long")
        return { kept: false, reason: "its worker was terminated before it reported how the call ran" };
      operations.sort((left, right) => left.place - right.place);
      const sent = await Promise.all(operations.map(async (operation) => await operation.sent));
      const redactor = createRedactor(options);
      const parts = outcome.ok ? outcome.parts : undefined;
      const large = parts && (await recordedParts(parts, options.platform, options.redactBytes));
      const told: RecordedOperation<JsonValue | LargeJson>[] = [];
      for (const [index, { operation, answer }] of operations.entries())
        told.push({
          name: operation.name,
          args: await redactor.json(operation.args, operation.argsLength > LARGE_BYTES),
          ...(sent[index] !== undefined && { sent: sent[index] }),
          ...(answer !== undefined && { answer: await redactor.answer(answer) }),
        });
      const recording: Recording<JsonValue | LargeJson> = {
        callId: call.callId,
        recordedMs,
        tool: recorded.tool,
        plugin: version.name,
        digest: version.digest,
        args: await redactor.json(recorded.args, knownSize(recorded.args) !== undefined),
        contextText: redactor.text(recorded.contextText),
        limits: recorded.limits,
        seed,
        ...(call.timeMs !== undefined && { timeMs: call.timeMs }),
        tape,
        operations: told,
        hostMs: operations.map(({ hostMs }) => hostMs),
        outcome: outcome.ok
          ? { ok: true, output: redactor.small(outcome.output), ...(large && { parts: large.parts }) }
          : { ok: false, fault: redactor.fault(outcome.fault) },
        used: usedOf(outcome.used),
        machine: machineOf(options.platform),
        isRedacted: redactor.hasRedacted() || large?.isRedacted === true,
      };
      const file = await options.platform.slices.run(recordingBytes(recording, options.platform.sha256));
      if (file === undefined) return { kept: false, reason: `its recording is larger than ${MAX_RECORDING_BYTES} bytes` };
      await options.store.keep(recording, file, version.files);
      return { kept: true };
    }

    return {
      conditions: { seed, keepsTape: true, ...(call.timeMs !== undefined && { timeMs: call.timeMs }) },
      wrap: (handler) => async (operation) => {
        const open = asked(operation);
        const answer = await handler(operation);
        if (open !== undefined) open.hostMs = Math.round((clock.monotonic() - open.begunAt) * 100) / 100;
        if (open !== undefined && take(answerSize(answer))) open.answer = await ownAnswer(answer, options.platform);
        return answer;
      },
      async end(outcome) {
        try {
          return await end(outcome);
        } catch (error) {
          if (error instanceof TooLargeToRedact) return { kept: false, reason: error.message };
          // A full disk must not fail the call.
          options.onDefect("Cannot record a call", error);
          return { kept: false, reason: "its recording cannot be written" };
        } finally {
          isOpen = false;
          openBytes -= bytes;
        }
      },
    };
  }

  return { begin };
}

function usedOf({ fuel, operations, logBytes, outputBytes }: InvocationUsed): RecordedUse {
  return { fuel, operations, logBytes, outputBytes };
}

interface Redactor {
  /** @param isLarge above 64 KB: the value is written and searched in slices */
  json(value: JsonValue, isLarge?: boolean): Promise<JsonValue | LargeJson>;
  small(value: JsonValue): JsonValue;
  text(json: string): string;
  answer(answer: HostAnswer): Promise<RecordedAnswer<JsonValue | LargeJson>>;
  fault(fault: Fault): Fault;
  hasRedacted(): boolean;
}

function createRedactor({ redact, redactLarge, redactBytes, platform: { slices } }: RecorderOptions): Redactor {
  let changed = false;

  function small(value: JsonValue): JsonValue {
    const redacted = redact(value);
    if (redacted !== value && JSON.stringify(redacted) !== JSON.stringify(value)) changed = true;
    return redacted;
  }

  async function json(value: JsonValue, isLarge = false): Promise<JsonValue | LargeJson> {
    if (!isLarge) return small(value);
    const way = redactLarge();
    if (way === undefined) throw new TooLargeToRedact();
    const isHidden = way.isHidden && ((name: string): boolean => way.isHidden?.(name) === true && (changed = true));
    return new LargeJson(await looked("json", await slices.run(jsonBytes(value, isHidden))));
  }

  /** Redacts bytes. */
  async function looked(kind: "json" | "text", bytes: Uint8Array): Promise<Uint8Array> {
    const redacted = await slices.run(redactBytes({ kind, bytes }));
    if (redacted !== bytes) changed = true;
    return redacted;
  }

  async function valueOf({ value, json: bytes }: Extract<HostAnswer, { ok: true }>): Promise<JsonValue | LargeJson> {
    if (bytes === undefined) return small(value);
    return await json(await slices.run(readLarge({ kind: "json", bytes })), true);
  }

  function words(text: string): string {
    const redacted = small(text);
    return typeof redacted === "string" ? redacted : JSON.stringify(redacted);
  }

  /** Decodes bytes as text, because secrets are found in headers, pages and settings files. */
  async function bytesOf(bytes: Uint8Array): Promise<Uint8Array> {
    if (bytes.length > LARGE_BYTES) {
      if (redactLarge() === undefined) throw new TooLargeToRedact();
      return await looked("text", bytes);
    }
    const text = new TextDecoder().decode(bytes);
    const redacted = words(text);
    return redacted === text ? bytes : new TextEncoder().encode(redacted);
  }

  return {
    json,
    small,
    text(written) {
      // The host wrote this JSON.
      const value = JSON.parse(written) as JsonValue;
      const redacted = small(value);
      return redacted === value ? written : JSON.stringify(redacted);
    },
    async answer(answer) {
      if (!answer.ok) return { ok: false, error: { ...answer.error, message: words(answer.error.message) } };
      const { bytes } = answer;
      return { ok: true, value: await valueOf(answer), ...(bytes !== undefined && { bytes: await bytesOf(bytes) }) };
    },
    // A fault is JSON. Its texts may come from the guest; redaction keeps its shape.
    fault: (fault) => small(fault as unknown as JsonValue) as unknown as Fault,
    hasRedacted: () => changed,
  };
}

/** The embedding program has its own redaction function, which takes values and not bytes. */
class TooLargeToRedact extends Error {
  override readonly name = "TooLargeToRedact";
  constructor() {
    super(`a value is larger than ${LARGE_BYTES} bytes, which the embedding program's own redaction cannot process`);
  }
}

function* jsonBytes(value: JsonValue, isHidden: ((name: string) => boolean) | undefined): Generator<void, Uint8Array> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  for (const piece of jsonPieces(value, isHidden === undefined ? {} : { isHidden })) {
    parts.push(encoder.encode(piece));
    yield;
  }
  return yield* joined(parts);
}

/** Copies the answer, because its bytes are moved to the guest. */
async function ownAnswer(answer: HostAnswer, { slices }: Pick<Platform, "slices">): Promise<HostAnswer> {
  if (!answer.ok) return answer;
  const { value, bytes, json } = answer;
  const own = async (given: Uint8Array): Promise<Uint8Array> =>
    given.length < LARGE_BYTES ? given : await slices.run(joined([...piecesOf(given)]));
  return {
    ok: true,
    value: json === undefined ? value : null,
    ...(bytes && { bytes: await own(bytes) }),
    ...(json && { json: await own(json) }),
  };
}

function sizeOf(value: JsonValue): number {
  return JSON.stringify(value).length;
}

function answerSize(answer: HostAnswer): number {
  if (!answer.ok) return answer.error.message.length + OPERATION_BYTES;
  // Length in base64.
  return (answer.json?.length ?? sizeOf(answer.value)) + Math.ceil((answer.bytes?.length ?? 0) / 3) * 4;
}

async function hashOf(bytes: Uint8Array, hasher: Hasher): Promise<SentBytes> {
  return { length: bytes.length, sha256: await hashBytes(bytes, hasher) };
}
