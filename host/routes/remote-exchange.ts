/** One call over HTTP: sends the request and reads the events that come back, which are untrusted (SPEC O3). */

import { isJsonObject, type JsonValue } from "../../manifests/mod.ts";
import { resourceExhausted, type ToolErrorData } from "../call/errors.ts";
import { joined } from "../primitives/json/json-bytes.ts";
import { readJsonText } from "../primitives/json/json-text.ts";
import { sizeOf } from "../primitives/json/known-size.ts";
import { encodeSlices } from "../primitives/json/write-slices.ts";
import type { Slices } from "../platform/platform.ts";
import type { HttpField, HttpResponse, Network } from "../platform/network/network-types.ts";
import { NetworkError } from "../platform/network/network-types.ts";
import type { CheckedUrl } from "../platform/proof.ts";
import type { Execution } from "../tools/execution.ts";

/** The other host answered with something other than a result. */
export class RemoteFailure extends Error {
  override readonly name = "RemoteFailure";
  /** Error to return instead of `unavailable`. */
  readonly error: ToolErrorData | undefined;
  constructor(message: string, error?: ToolErrorData) {
    super(message);
    this.error = error;
  }
}

interface ExchangeOptions {
  readonly network: Network;
  readonly slices: Slices;
  readonly signal: AbortSignal;
  readonly token: string | undefined;
  readonly onProgress: (value: JsonValue) => void;
  /** Resolves when the caller has the value; with an error if there were too many bytes of them. */
  readonly onYield: (value: JsonValue, bytes: number) => Promise<ToolErrorData | undefined>;
}

/** Idle timeout: the other host sends a heartbeat every 15 seconds. */
const IDLE_MS = 60_000;
const CONNECT_MS = 10_000;
const HEAD_BYTES = 16 * 1024;
const MAX_FIELDS = 100;
/** Bytes of a result besides its output; also the bytes of all progress. */
const AROUND_BYTES = 1024 * 1024;
const MAX_PROGRESS = 10_000;
/** Maximum number of lines of one event; further lines are not read. */
const MAX_LINES = 1_000;
const PROGRESS_BOUNDS = { maxBytes: 64 * 1024, maxDepth: 32 };
const DETAIL_LENGTH = 500;
const MAX_CALL_ID_LENGTH = 64;

/** Forwards the call. @returns the text of the result. @throws {NetworkError | RemoteFailure} */
export async function exchangeCall(url: CheckedUrl, execution: Execution, options: ExchangeOptions): Promise<string> {
  const { meter, decision } = execution;
  const body = await bodyOf(execution, options.slices);
  const excess = meter.spend("requests", 1) ?? meter.spend("bytesWritten", body.length);
  if (excess !== undefined) throw new RemoteFailure(excess.message, excess);
  // JSON may take six bytes for a character that the other host counted as one, and yielded values may come again in the result.
  const bodyBytes = 12 * decision.limits.outputBytes + 4 * AROUND_BYTES;
  const response = await options.network.exchange(url, {
    fields: fieldsOf(execution, options.token),
    body,
    signal: options.signal,
    limits: {
      connectMs: CONNECT_MS,
      headMs: IDLE_MS,
      idleMs: IDLE_MS,
      headBytes: HEAD_BYTES,
      fields: MAX_FIELDS,
      bodyBytes,
      ratio: 10,
      ratioFromBytes: AROUND_BYTES,
    },
  });
  try {
    if (response.status !== 200) throw new RemoteFailure(await refusalOf(response));
    if (!/^text\/event-stream\b/i.test(fieldOf(response, "content-type"))) throw new RemoteFailure("its answer is not an event stream");
    return await readEvents(response, execution, options);
  } catch (error) {
    if (error instanceof NetworkError && error.code === "body_too_large") throw tooLarge(execution);
    throw withoutRetry(error);
  } finally {
    response.close();
  }
}

/** Encodes the request. Large arguments are written in slices (SPEC LV2). */
async function bodyOf(execution: Execution, slices: Slices): Promise<Uint8Array> {
  const { args } = execution;
  const encoder = new TextEncoder();
  const rest = JSON.stringify(restOf(execution)).slice(1);
  if (sizeOf(args) === undefined) return encoder.encode(`{"args":${JSON.stringify(args)},${rest}`);
  const written = await slices.run(encodeSlices(args));
  return await slices.run(joined([encoder.encode('{"args":'), ...written, encoder.encode(`,${rest}`)]));
}

/** Returns the request without its arguments. */
function restOf({ tool, call, decision }: Execution): object {
  return {
    tool: tool.qualifiedName,
    timeoutMs: Math.max(1, Math.floor(decision.limits.wallMs)),
    // The other host may wait for a confirmation by its user within the deadline of this call.
    wait: true,
    ...(call.callId.length >= 8 && call.callId.length <= MAX_CALL_ID_LENGTH && { callId: call.callId }),
  };
}

function fieldsOf({ call }: Execution, token: string | undefined): readonly HttpField[] {
  return [
    ["content-type", "application/json"],
    ["accept", "text/event-stream"],
    ["accept-encoding", "identity"],
    ...(token === undefined ? [] : [["authorization", `Bearer ${token}`] as const]),
    ...(call.traceparent === undefined ? [] : [["traceparent", call.traceparent] as const]),
  ];
}

/** Makes an error after the answer began final: the call may have run, so it must not be retried. */
function withoutRetry(error: unknown): unknown {
  return error instanceof NetworkError && error.code !== "aborted"
    ? new RemoteFailure(`${error.message}, after the call had begun there`)
    : error;
}

function tooLarge({ decision }: Execution): RemoteFailure {
  const error = resourceExhausted("outputBytes", decision.limits.outputBytes);
  return new RemoteFailure(error.message, error);
}

/** Returns `HTTP 500: …` (SPEC X5) with the other host's `detail`, if that is short and plain. */
async function refusalOf(response: HttpResponse): Promise<string> {
  const { status } = response;
  if (status >= 300 && status < 400) return `HTTP ${status}: redirects are not followed`;
  const text = await readWhole(response);
  const parsed = readJsonText(text, PROGRESS_BOUNDS);
  const detail = parsed.ok && isJsonObject(parsed.value) ? parsed.value["detail"] : undefined;
  return `HTTP ${status}: ${typeof detail === "string" ? plain(detail) : "no readable detail"}`;
}

function plain(text: string): string {
  return text.slice(0, DETAIL_LENGTH).replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ");
}

async function readWhole(response: HttpResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (let piece = await response.read(); piece !== undefined && text.length <= PROGRESS_BOUNDS.maxBytes; piece = await response.read()) {
    text += decoder.decode(piece, { stream: true });
  }
  return text;
}

function fieldOf({ fields }: HttpResponse, name: string): string {
  return fields.find(([known]) => known === name)?.[1] ?? "";
}

/** Reads frames of server-sent events until the result. Earlier frames are not kept. */
async function readEvents(response: HttpResponse, execution: Execution, { onProgress, onYield }: ExchangeOptions): Promise<string> {
  const decoder = new TextDecoder();
  const maxFrame = 6 * execution.decision.limits.outputBytes + AROUND_BYTES;
  // Pieces of the frame that has not ended. Only new text is searched, because a frame may arrive in millions of pieces.
  let pieces: string[] = [];
  let length = 0;
  /** A line feed that may be the first of the two that end a frame. */
  let carried = "";
  let progress = 0;
  for (let piece = await response.read(); piece !== undefined; piece = await response.read()) {
    const excess = execution.meter.spend("bytesRead", piece.length);
    if (excess !== undefined) throw new RemoteFailure(excess.message, excess);
    let text = carried + decoder.decode(piece, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const frame = readFrame([...pieces, text.slice(0, end)].join(""));
      text = text.slice(end + 2);
      pieces = [];
      length = 0;
      if (frame.event === "result") return frame.data;
      if (frame.event === "progress" && (progress += 1) <= MAX_PROGRESS) tellProgress(frame.data, onProgress);
      if (frame.event === "yield") await tellYielded(frame.data, execution, onYield);
    }
    carried = text.endsWith("\n") ? "\n" : "";
    pieces.push(text.slice(0, text.length - carried.length));
    length += text.length - carried.length;
    if (length > maxFrame) throw tooLarge(execution);
  }
  throw new RemoteFailure("the answer ended before the result");
}

function readFrame(text: string): { readonly event: string; readonly data: string } {
  let event = "";
  const data: string[] = [];
  for (const line of text.split("\n", MAX_LINES)) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
  }
  return { event, data: data.join("\n") };
}

/** Passes a yielded value on. @throws {RemoteFailure} if it is not JSON, or the tool yields too much */
async function tellYielded(text: string, { decision }: Execution, onYield: ExchangeOptions["onYield"]): Promise<void> {
  const read = readJsonText(text, { maxBytes: PROGRESS_BOUNDS.maxBytes, maxDepth: decision.limits.jsonDepth });
  if (!read.ok) throw new RemoteFailure(`the tool yielded a value that is not JSON or larger than ${PROGRESS_BOUNDS.maxBytes} bytes`);
  // Parsed text is JSON.
  const excess = await onYield(read.value as JsonValue, text.length);
  if (excess !== undefined) throw new RemoteFailure(excess.message, excess);
}

/** Reports progress. Text that is not JSON or exceeds the bounds is dropped. */
function tellProgress(text: string, onProgress: ExchangeOptions["onProgress"]): void {
  const read = readJsonText(text, PROGRESS_BOUNDS);
  // Parsed text is JSON.
  if (read.ok) onProgress(read.value as JsonValue);
}
