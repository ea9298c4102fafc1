/** Door for other processes of the same user: a local socket with the protocol of `wire.ts` (SPEC I2). */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { ConfirmationRequest } from "../../call/call.ts";
import { shownRequest } from "../../confirmations/request.ts";
import type { JsonText } from "../../primitives/json/json-text.ts";
import type { LineConnection, Platform } from "../../platform/platform.ts";
import { type ClientOperations, DoorError, type Operations, type Watched } from "../operations.ts";
import { lineBytes, sendInSlices, sendJson } from "../send-json.ts";
import { claimSocket } from "./socket-path.ts";
import { type Frame, MAX_LINE_BYTES, type WireError } from "../frames.ts";
import { MAX_OPEN_REQUESTS, parseLine, readRequest, type Request } from "../wire.ts";

/** An open socket door. */
export interface SocketDoor {
  readonly path: string;
  /** Closes all connections and cancels their calls. */
  close(): Promise<void>;
}

interface SocketDoorOptions {
  readonly platform: Platform;
  /** Absolute path of the project's `.bascule` folder. */
  readonly stateDirectory: string;
  /** Creates the operations of one client: each connection has its own session. */
  readonly open: () => ClientOperations;
}

const MAX_CONNECTIONS = 32;
/** Unread bytes above which a client that watches misses events: as much as the journal's newest events, which it gets at once. */
const MAX_UNSENT_EVENTS = 4 * 1024 * 1024;

/**
 * Listens for connections from other processes of the project.
 *
 * @throws {FileError} `already_exists` if a live host serves this project.
 */
export async function openSocketDoor(options: SocketDoorOptions): Promise<SocketDoor> {
  const connections = new Set<{ end(): void }>();
  const claim = await claimSocket(options.platform, options.stateDirectory, (connection) => {
    if (connections.size >= MAX_CONNECTIONS) {
      send(connection, failure(null, "busy", `Cannot take more than ${MAX_CONNECTIONS} connections at once`));
      connection.close();
      return;
    }
    const operations = options.open();
    const client = serve(connection, operations, options.platform);
    connections.add(client);
    connection.onClose(() => {
      connections.delete(client);
      operations
        .end()
        .catch((error: unknown) => options.platform.log.write("error", "A client's session did not end", { error: String(error) }));
    });
  });
  return {
    path: claim.path,
    async close(): Promise<void> {
      for (const client of [...connections]) client.end();
      await claim.release();
    },
  };
}

/** A request without an answer yet. */
interface OpenRequest {
  readonly id: number;
  readonly abort: AbortController;
  /** Callbacks of the confirmations sent to the client, by request id. */
  readonly questions: Map<string, (answer: boolean | undefined) => void>;
}

/** Serves one client until it disconnects. */
function serve(connection: LineConnection, operations: Operations, platform: Platform): { end(): void } {
  const open = new Map<number, OpenRequest>();

  function end(): void {
    for (const request of open.values()) request.abort.abort();
    connection.close();
  }

  connection.onClose(() => {
    for (const request of open.values()) request.abort.abort();
  });
  connection.onLine((line) => {
    const json = parseLine(line, platform.slices);
    return json instanceof Promise ? json.then(take) : take(json);
  });

  function take(json: JsonText): void {
    const read = readRequest(json);
    if (!read.ok) return send(connection, failure(read.id, "invalid_request", read.message));
    const { request } = read;
    if (request.op === "cancel") return open.get(request.id)?.abort.abort();
    if (request.op === "answer") return open.get(request.id)?.questions.get(request.requestId)?.(request.answer);
    if (open.has(request.id))
      return send(
        connection,
        failure(request.id, "invalid_request", `Request ${request.id} is still open (use a new id for each request)`),
      );
    if (open.size >= MAX_OPEN_REQUESTS)
      return send(connection, failure(request.id, "busy", `Cannot take more than ${MAX_OPEN_REQUESTS} requests at once`));

    const state: OpenRequest = { id: request.id, abort: new AbortController(), questions: new Map() };
    open.set(request.id, state);
    answer(request, operations, state, connection).then(
      (result) => {
        open.delete(request.id);
        const frame = { id: request.id, ok: true, result: result ?? null };
        const how = { slices: platform.slices, maxBytes: MAX_LINE_BYTES };
        // Up to 256 confirmations, each of 64 KB or more.
        const sent = request.op === "pending" ? sendInSlices(connection, frame as JsonValue, how) : sendJson(connection, frame, how);
        sent.then(
          (isSent) => void (isSent || connection.send(tooLong(request.id))),
          (error: unknown) => platform.log.write("error", "An answer over the socket failed", { op: request.op, error: String(error) }),
        );
      },
      (error: unknown) => {
        open.delete(request.id);
        if (!(error instanceof DoorError))
          platform.log.write("error", "A request over the socket failed", { op: request.op, error: String(error) });
        send(connection, failed(request.id, error));
      },
    );
  }

  return { end };
}

function answer(request: Request, operations: Operations, state: OpenRequest, connection: LineConnection): Promise<unknown> {
  switch (request.op) {
    case "call":
      return operations.call(request.call, {
        signal: state.abort.signal,
        onProgress: (value: JsonValue, json?: Uint8Array) => sendValue(connection, { id: request.id, event: "progress", value }, json),
        // The limit `outputBytes` of the call bounds what waits here.
        onYield: (value: JsonValue, json?: Uint8Array) => sendValue(connection, { id: request.id, event: "yield", value }, json),
        ...(request.interactive ? { confirm: (question, signal) => ask(question, signal, state, connection) } : {}),
      });
    case "status":
      return operations.status();
    case "list":
      return operations.list();
    case "watch":
      return operations.watch(request.recent, { signal: state.abort.signal, onEvent: watcher(request.id, connection) });
    case "info":
      return operations.info(request.name);
    case "grant":
      return operations.grant(request.plugin, request.permissions);
    case "revoke":
      return operations.revoke(request.plugin, request.taken);
    case "grants":
      return operations.grants();
    case "read_result":
      return operations.readResult(request.handle, request.range);
    case "settings":
      return operations.settings(request.plugin, request.change);
    case "why":
      return operations.why(request.question);
    case "pending":
      return operations.pending();
    case "resolve":
      return operations.resolve(request.requestId, request.given);
    case "result":
      return operations.result(request.callId);
    case "commit":
      return operations.commit(request.callId, request.hash);
    case "undo":
      return operations.undo(request.callId, request.wish);
    case "waiting":
      return operations.waiting();
    case "cancelWaiting":
      return operations.cancelWaiting(request.callId);
    case "undoable":
      return operations.undoable();
    case "reload":
      return operations.reload();
    case "accept":
      return operations.accept(request.plugin, request.digest);
    case "inspect":
      return operations.inspect(request.source, state.abort.signal);
    case "install":
      return operations.install(request.digest);
    case "rollback":
      return operations.rollback(request.plugin);
    case "remove":
      return operations.remove(request.plugin, { data: request.data });
    case "answer":
    case "cancel":
      return Promise.resolve();
  }
}

/** Asks the client's user for confirmation. Resolves with undefined if the client disconnects or the confirmation is withdrawn. */
function ask(
  question: ConfirmationRequest,
  signal: AbortSignal,
  state: OpenRequest,
  connection: LineConnection,
): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const { requestId } = question;
    const { id } = state;
    const settle = (answered: boolean | undefined): void => {
      if (!state.questions.delete(requestId)) return;
      signal.removeEventListener("abort", withdraw);
      state.abort.signal.removeEventListener("abort", withdraw);
      resolve(answered);
    };
    const withdraw = (): void => {
      send(connection, { id, event: "settled", requestId });
      settle(undefined);
    };
    state.questions.set(requestId, settle);
    if (signal.aborted || state.abort.signal.aborted) return withdraw();
    signal.addEventListener("abort", withdraw);
    state.abort.signal.addEventListener("abort", withdraw);
    send(connection, { id, event: "confirm", request: shownRequest(question) });
  });
}

/** Sends a value of a running call; `json` is set if it is large and already serialized. */
function sendValue(connection: LineConnection, frame: Extract<Frame, { event: "progress" | "yield" }>, json: Uint8Array | undefined): void {
  if (json === undefined) return send(connection, frame);
  const head = `{"id":${frame.id},"event":"${frame.event}","value":`;
  if (head.length + json.length < MAX_LINE_BYTES) connection.sendPieces([head, json, "}"]);
}

/** Sends events to a client, and drops and counts them while it does not read. */
function watcher(id: number, connection: LineConnection): (watched: Watched) => void {
  let missed = 0;
  return (watched) => {
    if (connection.unsent > MAX_UNSENT_EVENTS) {
      missed += "missed" in watched ? watched.missed : 1;
      return;
    }
    if (missed > 0) send(connection, { id, event: "watched", value: { missed } });
    missed = 0;
    send(connection, { id, event: "watched", value: watched });
  };
}

/** Sends a frame. For an answer longer than a line it sends `too_large` instead, because a longer line would close the connection. */
function send(connection: LineConnection, frame: Frame): void {
  const line = JSON.stringify(frame);
  if (lineBytes(line, MAX_LINE_BYTES) <= MAX_LINE_BYTES) return connection.send(line);
  if ("event" in frame) return;
  connection.send(tooLong(frame.id));
}

function tooLong(id: number | null): string {
  return JSON.stringify(failure(id, "too_large", `The answer is longer than the ${MAX_LINE_BYTES} bytes that the socket carries`));
}

function failed(id: number, error: unknown): Frame {
  if (error instanceof DoorError) return failure(id, error.code, error.message, error.suggestion);
  return failure(id, "internal", "The host failed to answer (see its log)");
}

function failure(id: number | null, code: WireError["code"], message: string, suggestion?: string): Frame {
  return { id, ok: false, error: suggestion === undefined ? { code, message } : { code, message, suggestion } };
}
