/** Door for runners: serves one runner, in its own session, until it disconnects (SPEC I6). */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { CallOptions } from "../../dispatch/call-options.ts";
import type { ToolResult } from "../../call/call.ts";
import type { JsonText } from "../../primitives/json/json-text.ts";
import type { LineConnection, Slices } from "../../platform/platform.ts";
import { sendJson } from "../send-json.ts";
import { MAX_LINE_BYTES } from "../frames.ts";
import { parseLine } from "../wire.ts";
import { readRunnerLine, type RunnerCall, toFailure, tooLong, toResponse, toYield } from "./wire.ts";

export interface RunnerDoorOptions {
  readonly connection: LineConnection;
  readonly slices: Slices;
  /** Runs a call in the runner's session. Must not reject. */
  readonly call: (call: RunnerCall, signal: AbortSignal, onYield: CallOptions["onYield"]) => Promise<ToolResult>;
}

/** Maximum open calls per runner. */
const MAX_OUTSTANDING = 64;

/** Resolves when the runner has disconnected and its calls, which are then cancelled, have ended. */
export async function serveRunner({ connection, slices, call }: RunnerDoorOptions): Promise<void> {
  const outstanding = new Map<string, Promise<void>>();
  const gone = new AbortController();
  const closed = new Promise<void>((resolve) => connection.onClose(resolve));

  async function answer(request: RunnerCall): Promise<void> {
    // The call's limit `outputBytes` bounds what waits here.
    const onYield = request.streams ? (value: JsonValue): void => connection.send(toYield(request.id, value)) : undefined;
    const result = await call(request, gone.signal, onYield);
    outstanding.delete(request.id);
    const isSent = await sendJson(connection, toResponse(request.id, result), { slices, maxBytes: MAX_LINE_BYTES });
    if (!isSent) connection.send(tooLong(request.id));
  }

  connection.onLine((line) => {
    const json = parseLine(line, slices);
    return json instanceof Promise ? json.then(take) : take(json);
  });

  function take(json: JsonText): void {
    if (gone.signal.aborted) return;
    const read = readRunnerLine(json);
    if (!read.ok) return connection.send(toFailure(read.id, "invalid_args", read.message));
    const { id } = read.call;
    if (outstanding.has(id))
      return connection.send(toFailure(id, "invalid_args", `Call "${id}" is still open (use a new id for each call)`));
    if (outstanding.size >= MAX_OUTSTANDING)
      return connection.send(toFailure(id, "overloaded", `Cannot take more than ${MAX_OUTSTANDING} calls at once`));
    outstanding.set(id, answer(read.call));
  }

  await closed;
  gone.abort();
  await Promise.all(outstanding.values());
}
