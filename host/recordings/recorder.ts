/** Records calls while they run: a wrapper around the one function that answers a guest (architecture, decision 9, SPEC B8). */

import type { JsonValue, Limits, RecordMode } from "../../manifests/mod.ts";
import type { CallWorld, Fault, HostAnswer, HostCallHandler, HostOperation, InvocationOutcome, InvocationUsed } from "../../sandbox/mod.ts";
import type { ToolCall } from "../call.ts";
import { sha256Hex } from "../sources/directory/digest.ts";
import type { PluginVersion } from "../tools/tool.ts";
import {
  type Recording,
  type RecordedAnswer,
  type RecordedUse,
  MAX_RECORDING_BYTES,
  type RecordingSummary,
  type SentBytes,
} from "./recording.ts";
import { type RedactBytes, recordedParts } from "./recorded-parts.ts";
import { recordingToText } from "./recording-file.ts";
import { machineOf } from "./machine.ts";
import type { Platform } from "../platform/platform.ts";
import type { RecordingStore } from "./store.ts";

/** What is recorded about a call before it begins. */
export interface RecordedCall {
  readonly call: ToolCall;
  readonly tool: string;
  readonly version: PluginVersion;
  readonly args: JsonValue;
  readonly contextText: string;
  readonly limits: Limits;
}

/** One call's recording while the call runs. */
export interface OpenRecording {
  readonly world: CallWorld;
  /** Answers as `handler` does, and writes it down. */
  wrap(handler: HostCallHandler): HostCallHandler;
  /** Keeps the recording if it is to be kept. Never rejects. Undefined: nobody wanted it. */
  end(outcome: InvocationOutcome): Promise<RecordingSummary | undefined>;
}

export interface Recorder {
  /** Undefined if the call is not to be recorded. */
  begin(recorded: RecordedCall): OpenRecording | undefined;
}

export interface RecorderOptions {
  readonly platform: Pick<Platform, "clock" | "random" | "workers" | "slices" | "sha256">;
  readonly store: RecordingStore;
  /** What is recorded unless a call says so itself. Asked at each call. */
  readonly mode: () => RecordMode;
  /** Takes secrets out (SPEC AU4, C7). */
  readonly redact: (value: JsonValue) => JsonValue;
  readonly redactBytes: RedactBytes;
  readonly onDefect: (message: string, error?: unknown) => void;
}

/** Of all calls that are being recorded, together. */
const MAX_OPEN_BYTES = 8 * MAX_RECORDING_BYTES;
/** What an operation takes beside its texts. */
const OPERATION_BYTES = 100;

interface OpenOperation {
  readonly operation: Pick<HostOperation, "name" | "args">;
  readonly sent: Promise<SentBytes> | undefined;
  answer: HostAnswer | undefined;
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { clock, random } = options.platform;
  let openBytes = 0;

  function begin(recorded: RecordedCall): OpenRecording | undefined {
    const { call, version } = recorded;
    const mode = call.record === true ? "all" : options.mode();
    if (mode === "none" || call.record === false) return undefined;
    const seed = call.seed ?? hex(random.bytes(32));
    const recordedMs = clock.now();
    const operations: OpenOperation[] = [];
    let bytes = 0;
    let isOpen = true;
    let given: string | undefined = version.manifest.state === "session" ? "its plugin keeps state between calls" : undefined;

    /** False if there is no room: then nothing more is kept. */
    function take(more: number): boolean {
      // Answers may come when the call has long ended.
      if (!isOpen) return false;
      if (given === undefined && bytes + more > MAX_RECORDING_BYTES)
        given = `what it was answered is more than ${MAX_RECORDING_BYTES} bytes`;
      if (given === undefined && openBytes + more > MAX_OPEN_BYTES) given = "too much is being recorded at once";
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

    function asked({ name, args, bytes: sent }: HostOperation): OpenOperation | undefined {
      if (!take(OPERATION_BYTES + name.length + sizeOf(args))) return undefined;
      const open = { operation: { name, args }, sent: sent === undefined ? undefined : hashOf(sent), answer: undefined };
      operations.push(open);
      return open;
    }

    async function end(outcome: InvocationOutcome): Promise<RecordingSummary | undefined> {
      const { tape } = outcome;
      if (mode === "failures" && outcome.ok) return undefined;
      take(0);
      if (given === undefined && tape === "too_long") given = "it looked at the clock or set timers too often";
      if (given !== undefined) return { kept: false, reason: given };
      // The worker that ran it was ended, or it never began.
      if (tape === undefined || tape === "too_long") return { kept: false, reason: "its worker did not live to say how it ran" };
      const sent = await Promise.all(operations.map(async (operation) => await operation.sent));
      const redactor = createRedactor(options.redact);
      const parts = outcome.ok ? outcome.parts : undefined;
      const large = parts && (await recordedParts(parts, options.platform, options.redactBytes));
      const recording: Recording = {
        callId: call.callId,
        recordedMs,
        tool: recorded.tool,
        plugin: version.name,
        digest: version.digest,
        args: redactor.json(recorded.args),
        contextText: redactor.text(recorded.contextText),
        limits: recorded.limits,
        seed,
        ...(call.timeMs !== undefined && { timeMs: call.timeMs }),
        tape,
        operations: operations.map(({ operation, answer }, index) => ({
          name: operation.name,
          args: redactor.json(operation.args),
          ...(sent[index] !== undefined && { sent: sent[index] }),
          ...(answer !== undefined && { answer: redactor.answer(answer) }),
        })),
        outcome: outcome.ok
          ? { ok: true, output: redactor.json(outcome.output), ...(large && { parts: large.parts }) }
          : { ok: false, fault: redactor.fault(outcome.fault) },
        used: usedOf(outcome.used),
        machine: machineOf(options.platform),
        isRedacted: redactor.hasRedacted() || large?.isRedacted === true,
      };
      const text = await recordingToText(recording);
      if (text.length > MAX_RECORDING_BYTES) return { kept: false, reason: `its recording is more than ${MAX_RECORDING_BYTES} bytes` };
      await options.store.keep(recording, text, version.files);
      return { kept: true };
    }

    return {
      world: { seed, keepsTape: true, ...(call.timeMs !== undefined && { timeMs: call.timeMs }) },
      wrap: (handler) => async (operation) => {
        const open = asked(operation);
        const answer = await handler(operation);
        if (open !== undefined && take(answerSize(answer))) open.answer = answer;
        return answer;
      },
      async end(outcome) {
        try {
          return await end(outcome);
        } catch (error) {
          // A full disk fails no call.
          options.onDefect("A call cannot be recorded", error);
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
  json(value: JsonValue): JsonValue;
  text(json: string): string;
  answer(answer: HostAnswer): RecordedAnswer;
  fault(fault: Fault): Fault;
  hasRedacted(): boolean;
}

function createRedactor(redact: (value: JsonValue) => JsonValue): Redactor {
  let changed = false;

  function json(value: JsonValue): JsonValue {
    const redacted = redact(value);
    if (redacted !== value && JSON.stringify(redacted) !== JSON.stringify(value)) changed = true;
    return redacted;
  }

  function words(text: string): string {
    const redacted = json(text);
    return typeof redacted === "string" ? redacted : JSON.stringify(redacted);
  }

  /** Bytes are read as text: what holds a secret is a header, a page, a file of settings. */
  function bytesOf(bytes: Uint8Array): Uint8Array {
    const text = new TextDecoder().decode(bytes);
    const redacted = words(text);
    return redacted === text ? bytes : new TextEncoder().encode(redacted);
  }

  return {
    json,
    text(written) {
      // The host wrote it.
      const value = JSON.parse(written) as JsonValue;
      const redacted = json(value);
      return redacted === value ? written : JSON.stringify(redacted);
    },
    answer(answer) {
      if (!answer.ok) return { ok: false, error: { ...answer.error, message: words(answer.error.message) } };
      const { value, bytes } = answer;
      return { ok: true, value: json(value), ...(bytes !== undefined && { bytes: bytesOf(bytes) }) };
    },
    // A fault is JSON whose texts may be the guest's; redaction leaves its shape.
    fault: (fault) => json(fault as unknown as JsonValue) as unknown as Fault,
    hasRedacted: () => changed,
  };
}

function sizeOf(value: JsonValue): number {
  return JSON.stringify(value).length;
}

function answerSize(answer: HostAnswer): number {
  if (!answer.ok) return answer.error.message.length + OPERATION_BYTES;
  // As base64 has them.
  return sizeOf(answer.value) + Math.ceil((answer.bytes?.length ?? 0) / 3) * 4;
}

async function hashOf(bytes: Uint8Array): Promise<SentBytes> {
  return { length: bytes.length, sha256: await sha256Hex(new Uint8Array(bytes)) };
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
