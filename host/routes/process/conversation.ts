/** Validates every message of a trusted plugin's process about its call, and answers it (SPEC O1, B3). */

import { isJsonObject, type JsonObject, type JsonValue, type Limits } from "../../../manifests/mod.ts";
import { droppedText, type ExhaustedLimit, type Fault, type HostAnswer, LOG_LINE_BYTES, LOG_TEXT_LENGTH } from "../../../sandbox/mod.ts";
import { answerOperation } from "../../capabilities/mod.ts";
import { piecesOf } from "../../primitives/json/json-bytes.ts";
import { copyJson, type JsonCopy, copySlices } from "../../primitives/json/json.ts";
import { type JsonText, readJsonText } from "../../primitives/json/json-text.ts";
import { LARGE_TEXT, MAX_MEMBERS, readSlices } from "../../primitives/json/read-slices.ts";
import type { LogLevel, Slices } from "../../platform/platform.ts";
import { fromBase64Slices, toBase64Slices } from "../../effects/recordings/base64.ts";
import type { RunRecord } from "../run-record.ts";

/** How a call's conversation ended. */
export type Said =
  | { readonly kind: "plain"; readonly output: JsonValue }
  | { readonly kind: "parts"; readonly parts: JsonObject }
  /** A value above 64 KB: plain, or the parts of a tool output. */
  | { readonly kind: "large"; readonly value: JsonValue; readonly isTold: boolean }
  | { readonly kind: "fault"; readonly fault: Fault };

interface ConversationOptions {
  readonly record: RunRecord;
  readonly limits: Limits;
  readonly slices: Slices;
  /** Sends one line. */
  readonly send: (...pieces: readonly (string | Uint8Array)[]) => void;
}

export interface Conversation {
  /** Handles one line. Returns a promise for a line above 64 KB, which is read in slices (SPEC LV2). */
  onMessage(line: string): void | Promise<void>;
  onOutput(stream: "stdout" | "stderr", text: string): void;
  /** Counts an act of the call from any source; returns false once the call may do no more. */
  count(): boolean;
  /** Ends the conversation from outside, because the process is gone or broke the protocol. Only the first end counts. */
  end(said: Said): void;
  readonly ended: Promise<Said>;
  readonly used: () => { readonly operations: number; readonly logBytes: number };
  /** Returns the last lines of the process's standard error. */
  readonly lastWords: () => string;
}

/** JSON nesting of the envelopes around the values. */
const ENVELOPE_DEPTH = 4;
const LAST_WORDS = 1_000;
/** How bascule's own code in the process begins a `returned` line. */
const RETURNED = `{"type":"returned"`;
/** Notice that Deno prints in each such process. */
const NOTICE = "Warning Permission broker is an experimental feature\n";
const LEVELS: readonly string[] = ["debug", "info", "warn", "error"] satisfies LogLevel[];

/** Returns the longest line that a well-behaved process sends: an output, or the bytes of one operation. */
export function maxLineBytes({ outputBytes, operationBytes, logBytes }: Limits): number {
  return Math.max(outputBytes, Math.ceil((operationBytes * 4) / 3), logBytes) + 64 * 1024;
}

export function createConversation({ record, limits, slices, send }: ConversationOptions): Conversation {
  const { promise: ended, resolve: end } = Promise.withResolvers<Said>();
  const lineBounds = { maxBytes: maxLineBytes(limits), maxDepth: limits.jsonDepth + ENVELOPE_DEPTH };
  let operations = 0;
  let pending = 0;
  let logBytes = 0;
  let lastWords = "";

  function exhaust(limit: ExhaustedLimit, allowed: number): void {
    end({ kind: "fault", fault: { kind: "exhausted", limit, allowed } });
  }

  function count(): boolean {
    operations += 1;
    if (operations <= limits.operations) return true;
    exhaust("operations", limits.operations);
    return false;
  }

  function log(level: LogLevel, text: string): void {
    logBytes += LOG_LINE_BYTES + new TextEncoder().encode(text).length;
    if (logBytes > limits.logBytes) return exhaust("logs", limits.logBytes);
    // Guest text stays in a field of its own, so it cannot forge a line, level or message of the host.
    record.log.write(level, "guest", { text });
  }

  async function answer({ id, name, args, bytes }: JsonObject): Promise<void> {
    if (typeof id !== "number" || typeof name !== "string") return misspoken("an operation without a number or a name");
    const given = typeof bytes === "string" ? await slices.run(fromBase64Slices(bytes)) : undefined;
    if (bytes !== undefined && given === undefined) return misspoken("an operation whose bytes are not base64");
    if (!count()) return;
    pending += 1;
    if (pending > limits.pendingOperations) return exhaust("pendingOperations", limits.pendingOperations);
    const answered = await act({ name, args: args ?? {}, ...(given && { bytes: given }) });
    pending -= 1;
    if (!answered.ok) return send(JSON.stringify({ type: "answer", id, ok: false, error: answered.error }));
    const { json, bytes: brought } = answered;
    const value = json === undefined ? [JSON.stringify(answered.value)] : piecesOf(json);
    const base64 = brought === undefined ? [] : [`,"bytes":"`, ...(await slices.run(toBase64Slices(brought))), `"`];
    send(`{"type":"answer","id":${id},"ok":true,"value":`, ...value, ...base64, "}");
  }

  async function act(operation: Parameters<typeof answerOperation>[0]): Promise<HostAnswer> {
    const excess = record.bridge.meter.spend("hostCalls", 1);
    if (excess !== undefined) return { ok: false, error: { name: "RangeError", message: excess.message } };
    return operation.name === "yield" ? await yielded(operation.args) : await answerOperation(operation, record.bridge);
  }

  /** Answered when the caller has the value, so that the tool waits. */
  async function yielded(args: JsonValue): Promise<HostAnswer> {
    const value = isJsonObject(args) ? (args["value"] ?? null) : null;
    const excess = await record.yielded(value, JSON.stringify(value).length);
    return excess === undefined ? { ok: true, value: null } : { ok: false, error: { name: "RangeError", message: excess.message } };
  }

  function misspoken(what: string): void {
    end({ kind: "fault", fault: { kind: "trap", message: `The plugin's process sent ${what}` } });
  }

  function finish({ plain, parts }: JsonObject, isLarge: boolean): void | Promise<void> {
    const [value, isTold] = [parts ?? plain ?? null, parts !== undefined && isJsonObject(parts)];
    const bounds = { maxBytes: limits.outputBytes, maxDepth: limits.jsonDepth };
    if (!isLarge) return returned(copyJson(value, bounds), (copied) => toSmall(copied, isTold));
    return slices.run(copySlices(value, bounds)).then((copy) => returned(copy, (copied) => ({ kind: "large", value: copied, isTold })));
  }

  function returned(copy: JsonCopy, toSaid: (value: JsonValue) => Said): void {
    if (copy.ok) return end(toSaid(copy.value));
    return copy.reason === "too_deep" ? exhaust("jsonDepth", limits.jsonDepth) : exhaust("output", limits.outputBytes);
  }

  function hear(read: JsonText, isLarge: boolean): void | Promise<void> {
    if (!read.ok && "tooLarge" in read) {
      if (read.tooLarge === "members") return misspoken(`an object of more than ${MAX_MEMBERS} members`);
      return read.tooLarge === "depth" ? exhaust("jsonDepth", limits.jsonDepth) : exhaust("output", limits.outputBytes);
    }
    // Parsed text is JSON.
    const value = read.ok ? (read.value as JsonValue) : undefined;
    return isJsonObject(value) ? take(value, isLarge) : misspoken("a line that is not a message");
  }

  function take(message: JsonObject, isLarge: boolean): void | Promise<void> {
    const text = (key: string): string => {
      const said = message[key];
      return typeof said === "string" ? said.slice(0, LOG_TEXT_LENGTH) : "";
    };
    switch (message["type"]) {
      case "operation":
        void answer(message).catch((defect: unknown) => {
          record.log.write("error", "An operation of a trusted plugin failed", { error: String(defect) });
          misspoken("an operation that failed in the host (see the log)");
        });
        return;
      case "progress":
        // Later lines are read once the progress was reported.
        return count() ? record.progress(message["value"] ?? null) : undefined;
      case "log":
        return log(toLevel(message["level"]), text("text"));
      case "dropped":
        return record.log.write("warn", "guest", { text: droppedText(toCount(message["lines"]), toCount(message["dropped"])) });
      case "returned":
        return finish(message, isLarge);
      case "not_json":
        return end({ kind: "fault", fault: { kind: "not_json", message: text("message") } });
      case "no_export":
        return end({ kind: "fault", fault: { kind: "no_export", module: "", export: "", available: textsOf(message["available"]) } });
      case "threw":
        return end({ kind: "fault", fault: threwFault(message, text) });
      default:
        return misspoken("a message of an unknown kind");
    }
  }

  return {
    onMessage(line) {
      if (line.length <= LARGE_TEXT || line.length > lineBounds.maxBytes) return hear(readJsonText(line, lineBounds), false);
      // A tool's return value may have objects of any size; arguments of an operation may not.
      const isReadersOwn = line.startsWith(RETURNED);
      return slices.run(readSlices(line, lineBounds, { isReadersOwn })).then((read) => hear(read, true));
    },
    onOutput(stream, written) {
      const text = written.replace(NOTICE, "");
      if (text === "") return;
      if (stream === "stderr") lastWords = (lastWords + text).slice(-LAST_WORDS);
      log(stream === "stdout" ? "info" : "warn", text);
    },
    count,
    end,
    ended,
    used: () => ({ operations, logBytes }),
    lastWords: () => lastWords.trim(),
  };
}

function toSmall(value: JsonValue, isTold: boolean): Said {
  return isTold && isJsonObject(value) ? { kind: "parts", parts: value } : { kind: "plain", output: value };
}

function threwFault(message: JsonObject, text: (key: string) => string): Fault {
  const shown = message["shown"];
  const said =
    isJsonObject(shown) && typeof shown["message"] === "string"
      ? { message: shown["message"], ...(shown["details"] !== undefined && { details: shown["details"] }) }
      : undefined;
  return { kind: "threw", name: text("name"), message: text("message"), stack: text("stack"), ...(said && { toolError: said }) };
}

function toLevel(level: JsonValue | undefined): LogLevel {
  // A member of the list, as just checked.
  return typeof level === "string" && LEVELS.includes(level) ? (level as LogLevel) : "info";
}

function toCount(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.slice(0, 100).filter((item) => typeof item === "string") : [];
}
