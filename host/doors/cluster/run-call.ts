/** Runs calls of a cluster through `host.call`, like every door, in one session for each owner at each caller (SPEC CL1, CL6). */

import { LIMIT_CEILINGS } from "../../../manifests/mod.ts";
import type { ToolResult } from "../../call/call.ts";
import { unavailable } from "../../call/errors.ts";
import type { Session } from "../../call/session.ts";
import type { ClusterCall, RunCall } from "../../cluster/accepted-call.ts";
import type { Host } from "../../host/host-interface.ts";
import { joinBytes } from "../../platform/bytes.ts";
import type { Slices } from "../../platform/platform.ts";
import { piecesBytes } from "../../primitives/json/json-bytes.ts";
import { toPieces } from "../../primitives/json/large.ts";
import type { ToolListing } from "../../tools/listing.ts";
import { answeredElsewhere } from "../http/calls.ts";
import { resultWithoutGrants } from "../without-grants.ts";

interface RunCallOptions {
  readonly host: Pick<Host, "call" | "listEach" | "session" | "endSession">;
  readonly slices: Slices;
  readonly onDefect: (message: string, error: unknown) => void;
}

/** Sessions that are kept. Above that, the one that was unused for longest ends. */
const MOST_SESSIONS = 256;
/** The member bounds its calls itself, so that a full one leaves them to others. */
const CONCURRENCY = 256;

/** Returns the tool with exactly these bytes; undefined if this host does not hold it, does not accept it, or sends it elsewhere. */
export function findHeld(host: Pick<Host, "listEach">, digest: string, tool: string): ToolListing | undefined {
  for (const listing of host.listEach({ name: tool, enabledOnly: true }))
    if (listing.qualifiedName === tool && listing.digest === digest && listing.route !== "remote") return listing;
  return undefined;
}

export function createRunCall({ host, slices, onDefect }: RunCallOptions): RunCall {
  const sessions = new Map<string, { readonly session: Session; calls: number }>();

  function sessionOf({ caller, owner }: ClusterCall): { readonly session: Session; calls: number } {
    const name = `cluster:${caller}:${owner}`;
    const known = sessions.get(name) ?? {
      session: host.session({
        ...{ owner: name, concurrency: CONCURRENCY, queue: CONCURRENCY, door: "cluster", client: caller },
        resultBytes: LIMIT_CEILINGS.outputBytes,
      }),
      calls: 0,
    };
    // The newest is the last.
    sessions.delete(name);
    sessions.set(name, known);
    if (sessions.size > MOST_SESSIONS) endOldest();
    return known;
  }

  function endOldest(): void {
    for (const [name, { session, calls }] of sessions) {
      if (calls > 0) continue;
      sessions.delete(name);
      host.endSession(session).catch((error: unknown) => onDefect("A session of the cluster cannot be ended", error));
      return;
    }
  }

  return async (call) => {
    const { callId, digest, tool, args, timeoutMs, traceparent, signal, onProgress, onYield } = call;
    // Since the call was accepted, the plugin may have changed. Dispatch takes its snapshot in this turn.
    if (findHeld(host, digest, tool) === undefined) {
      const error = unavailable(tool, "the member that accepted the call does not hold this version any more (call again)");
      return encoded({ ok: false, error: { ...error, details: { retryable: true } } });
    }
    const own = sessionOf(call);
    own.calls += 1;
    try {
      const result: ToolResult = await host.call(tool, args, {
        ...{ session: own.session, callId, timeoutMs, signal, onProgress, onYield },
        ...(traceparent !== undefined && { traceparent }),
        // A user of this member answers within the deadline of the call.
        confirm: answeredElsewhere,
      });
      return await encodeResult(resultWithoutGrants(result), slices);
    } finally {
      own.calls -= 1;
    }
  };
}

/** Large values stay bytes until here. */
async function encodeResult(result: ToolResult, slices: Slices): Promise<Uint8Array> {
  const pieces = toPieces(result);
  const [text] = pieces;
  if (pieces.length === 1 && typeof text === "string") return new TextEncoder().encode(text);
  const parts: Uint8Array[] = [];
  for await (const part of piecesBytes(pieces, slices)) parts.push(part);
  return joinBytes(parts);
}

function encoded(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
