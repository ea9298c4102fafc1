/**
 * The requests of a guest: `net.fetch` sends one and returns the head of the response, `net.read` and `net.write` carry bodies in
 * pieces, `net.close` gives up. The guest numbers its exchanges; the host keeps them for this call only.
 */

import { AbortSignal, offAbort, onAbort } from "./abort.ts";
import { type Body, ofStream } from "./body.ts";
import { bufferOf, concatBytes, ownBytes, viewBytes } from "./bytes.ts";
import { callLimit } from "../call/call-facts.ts";
import { beginHeld, dropHeld, holdRequest, request as askHost, type Request as HostRequest } from "../call/channel.ts";
import { toGuestError } from "../deno/deno-errors.ts";
import { encodeUtf8 } from "./encoding.ts";
import { freezeHeaders, headerFields, Headers } from "./headers.ts";
import { listToJson, quoteJson } from "../language/json-text.ts";
import {
  bareList,
  define,
  mathFloor,
  mathMax,
  mathMin,
  objectHasOwn,
  PrimordialPromise,
  PrimordialUint8Array,
  promiseThen,
  reflectApply,
  typedArrayLength,
  typedArrayTag,
} from "../language/primordials.ts";
import { type Request, requestBody, requestFacts, requestHeaders, requestSignal } from "./request.ts";
import { createResponse, type Response } from "./response.ts";
import { closeBytes, createReadable, enqueueBytes, errorBytes, pipeInto, type Stream } from "../streams/web-streams.ts";
import { plainError } from "../inspect/stack.ts";

/** Captured before any plugin runs. */
const { throwIfAborted } = AbortSignal.prototype;

/** Bytes per operation. The host accepts more, but each piece is held in memory twice. */
const PIECE_BYTES = 262_144;

/**
 * Maximum open exchanges of a call; further ones wait. As many as the host gives a call connections to one server, and fewer than
 * `MAX_OPEN_EXCHANGES` of host/capabilities/network/net-limits.ts. At most half of the call's pending operations, so that the pieces of
 * bodies always find a place.
 */
const MOST_OPEN = 32;
/**
 * Above this number of open exchanges, the beginning of each body is read ahead, so that brief ones end: a program may await all
 * responses before it reads their bodies.
 */
const MOST_UNREAD = 16;
const READ_AHEAD_BYTES = 65_536;

let nextId = 1;

/** Exchanges of one call. Replaced for each call, because late ends of an earlier call's exchanges must not count. */
interface Exchanges {
  open: number;
  /** Those that wait, from index `next` on. */
  readonly line: Exchange[];
  next: number;
}
let current = noExchanges();

function noExchanges(): Exchanges {
  return { open: 0, line: bareList(), next: 0 };
}

/** Forgets the exchanges of an earlier call of a stateful plugin. */
export function dropExchanges(): void {
  if (current.open > 0) current = noExchanges();
}

/** One request in flight. */
interface Exchange {
  readonly id: number;
  readonly of: Exchanges;
  /** Number of the held operation while it waits for others to end. */
  held: number | undefined;
  /** Called when it stops waiting. */
  begun: (() => void) | undefined;
  readonly signal: AbortSignal;
  /** Stream of the response body, while it is readable. */
  reading: Stream | undefined;
  isOver: boolean;
}

/** Sends a request and returns its response. The request body must have no other reader. Rejects like Deno's `fetch`. */
export function exchange(request: Request): Promise<Response> {
  const own: Exchange = {
    id: nextId++,
    of: current,
    held: undefined,
    begun: undefined,
    signal: requestSignal(request),
    reading: undefined,
    isOver: false,
  };
  return new PrimordialPromise<Response>((resolve, reject) => {
    const fail = (reason: unknown): void => {
      if (own.isOver) return;
      end(own, stop);
      if (own.reading !== undefined) errorBytes(own.reading, reason);
      own.reading = undefined;
      if (own.held === undefined) giveUp(own.id);
      else dropHeld(own.held);
      reject(reason);
    };
    const stop = (): void => fail(reasonOf(own.signal));
    onAbort(own.signal, stop);
    promiseThen(
      send(request, own, (answer) => toResponse(answer as Answer, own, stop)),
      // `convert` created the response.
      (response) => resolve(response as Response),
      fail,
    );
    const stream = requestBody(request)?.stream;
    if (stream === undefined) return;
    if (own.held === undefined) sendBody(stream, own, fail);
    else own.begun = () => sendBody(stream, own, fail);
  });
}

interface Answer {
  readonly failed?: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly string[];
  readonly url: string;
  readonly redirected: boolean;
  readonly hasBody: boolean;
}

function send(request: Request, own: Exchange, convert: (answer: unknown) => Response): Promise<Response> {
  const { url, method, choices } = requestFacts(request);
  const body = requestBody(request);
  const kind = body === null ? "none" : body.stream === undefined ? "bytes" : "stream";
  const names = bareList<string>();
  const fields = headerFields(requestHeaders(request));
  for (let index = 0; index < fields.length; index++) {
    const { name = "", value = "" } = fields[index] ?? {};
    names[names.length] = name;
    names[names.length] = value;
  }
  const isSafe = method === "GET" || method === "HEAD" || method === "OPTIONS";
  if (body !== null) body.used = true;
  return inLine(own, {
    __proto__: null,
    operation: "net.fetch",
    args: {},
    json: `{"id":${own.id},"url":${quoteJson(url)},"method":${quoteJson(method)},"redirect":${quoteJson(choices.redirect)},"body":"${kind}","headers":${listToJson(names)}}`,
    bytes: kind === "bytes" ? bytesOf(body) : undefined,
    // An unsafe request that is unanswered when the call returns counts as an unfinished effect.
    hasEffect: () => !isSafe && !own.isOver,
    convert,
  });
}

function mostOpen(): number {
  return mathMax(1, mathMin(MOST_OPEN, mathFloor((callLimit("pendingOperations") ?? Infinity) / 2)));
}

/** True if requests wait for bodies that the program does not read. */
export function hasWaiting(): boolean {
  return current.next < current.line.length;
}

/** Sends the request once fewer than `mostOpen` exchanges are open. */
function inLine<T>(own: Exchange, wanted: HostRequest<T>): Promise<T> {
  const { of: exchanges } = own;
  if (exchanges.open < mostOpen()) {
    exchanges.open++;
    return askHost(wanted);
  }
  const [held, promise] = holdRequest(wanted);
  own.held = held;
  exchanges.line[exchanges.line.length] = own;
  return promise;
}

function beginWaiting(exchanges: Exchanges): void {
  while (exchanges === current && exchanges.next < exchanges.line.length && exchanges.open < mostOpen()) {
    const next = exchanges.line[exchanges.next++];
    if (next?.held === undefined || next.isOver) continue;
    exchanges.open++;
    const { held } = next;
    next.held = undefined;
    beginHeld(held);
    next.begun?.();
  }
}

function bytesOf(body: Body | null): ArrayBuffer {
  return bufferOf(ownBytes(body?.bytes ?? encodeUtf8("")));
}

function toResponse(answer: Answer, own: Exchange, stop: () => void): Response {
  if (objectHasOwn(answer, "failed")) {
    throw fetchFailed(plainError(answer.failed));
  }
  const { status, statusText, url, redirected } = answer;
  const headers = new Headers();
  const list = headerFields(headers);
  for (let index = 0; index + 1 < answer.headers.length; index += 2) {
    list[list.length] = { name: answer.headers[index] ?? "", value: answer.headers[index + 1] ?? "" };
  }
  freezeHeaders(headers);
  if (!answer.hasBody) end(own, stop);
  const body = answer.hasBody ? ofStream(bodyStream(own, stop)) : null;
  return createResponse({ status, statusText, type: "basic", url, redirected }, headers, body);
}

/** Requests the next piece on demand, so that the host reads no further ahead from the socket. */
function bodyStream(own: Exchange, stop: () => void): Stream {
  const take = (value: unknown, bytes: ArrayBuffer | undefined): void => {
    if (own.reading === undefined) return;
    if (value === true) {
      const controller = own.reading;
      own.reading = undefined;
      end(own, stop);
      closeBytes(controller);
    } else if (bytes !== undefined && bytes.byteLength > 0) enqueueBytes(own.reading, new PrimordialUint8Array(bytes));
  };
  const source = {
    __proto__: null,
    type: "bytes",
    start: (controller: Stream) => {
      own.reading = controller;
    },
    pull: () => askHost<void>({ __proto__: null, operation: "net.read", args: { id: own.id }, convert: take }),
    cancel: () => {
      own.reading = undefined;
      end(own, stop);
      giveUp(own.id);
    },
  };
  return createReadable(source, { __proto__: null, highWaterMark: own.of.open > MOST_UNREAD ? READ_AHEAD_BYTES : 0 });
}

/** Writes in pieces; each waits until the socket accepted the previous one. */
function sendBody(stream: Stream, own: Exchange, fail: (reason: unknown) => void): void {
  const write = async (chunk: unknown): Promise<void> => {
    if (typeof chunk !== "object" || chunk === null || typedArrayTag(chunk) !== "Uint8Array") {
      throw plainError("expected typed ArrayBufferView");
    }
    const parts = bareList<Uint8Array>();
    // The tag check above proved the type.
    parts[0] = chunk as Uint8Array;
    const bytes = concatBytes(parts);
    const length = typedArrayLength(bytes);
    for (let at = 0; at < length; at += PIECE_BYTES) {
      const piece = bufferOf(ownBytes(viewBytes(bytes, at, mathMin(at + PIECE_BYTES, length))));
      const isWanted = await askHost({
        __proto__: null,
        operation: "net.write",
        args: { id: own.id },
        bytes: piece,
        convert: (value) => value === true,
      });
      if (!isWanted) throw UNWANTED;
    }
  };
  const finish = (): void => {
    promiseThen(
      askHost({ __proto__: null, operation: "net.write", args: { id: own.id, end: true }, convert: () => undefined }),
      ignore,
      ignore,
    );
  };
  promiseThen(pipeInto(stream, write), finish, (reason) => {
    // The response, or its absence, explains the failure.
    if (reason !== UNWANTED && !isGone(reason)) fail(fetchFailed(reason));
  });
}

/** Has Deno's message. */
function fetchFailed(cause: unknown): Error {
  const error = toGuestError({ name: "TypeError", message: "fetch failed" });
  define(error, "cause", cause);
  return error;
}

/** Error for a stream whose bytes are no longer wanted. */
const UNWANTED = plainError("The request body is not wanted any more");

/** The exchange ended before its body. */
function isGone(reason: unknown): boolean {
  return typeof reason === "object" && reason !== null && objectHasOwn(reason, "name") && (reason as Error).name === "BadResource";
}

function end(own: Exchange, stop: () => void): void {
  if (own.isOver) return;
  own.isOver = true;
  offAbort(own.signal, stop);
  if (own.held !== undefined) return;
  own.of.open--;
  // A microtask later, so that the host hears of the end first.
  promiseThen(RESOLVED, () => beginWaiting(own.of), ignore);
}

const RESOLVED = new PrimordialPromise<void>((resolve) => resolve());

function giveUp(id: number): void {
  promiseThen(askHost({ __proto__: null, operation: "net.close", args: { id }, convert: () => undefined }), ignore, ignore);
}

function ignore(): void {}

/** Reads the reason without members that a program may have changed. */
function reasonOf(signal: AbortSignal): unknown {
  try {
    reflectApply(throwIfAborted, signal, []);
  } catch (reason) {
    return reason;
  }
  return undefined;
}
