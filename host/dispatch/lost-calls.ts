/**
 * Ends the calls that were lost with a host: they ran when it was killed, and were not kept (SPEC FR2). Each gets its terminal event, and a
 * result for the caller that comes back.
 */

import type { EmitEvent, EventSubject } from "../audit/events.ts";
import type { EndedHost, HostMark } from "../audit/host-mark.ts";
import { changesSomething } from "../audit/journal.ts";
import type { LostCall } from "../audit/lost-calls.ts";
import type { ToolFailure } from "../call/call.ts";
import { ERROR_TABLE } from "../call/error-table.ts";
import { toolError } from "../call/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue, type SideEffect } from "../../manifests/mod.ts";
import { defined } from "../primitives/defined.ts";
import { ServiceError } from "../primitives/service/service.ts";
import type { Calls } from "./calls.ts";

interface LostCallsOptions {
  readonly mark: Pick<HostMark, "ended" | "settle">;
  /** Finds the calls of these hosts in the journal. */
  readonly find: (hosts: readonly EndedHost[]) => Promise<readonly LostCall[]>;
  /** Returns whether a call was kept when this host started: it goes on, or ends here. */
  readonly isKept: (callId: string) => boolean;
  readonly calls: Pick<Calls, "addLost">;
  readonly emit: EmitEvent;
  /** Resolves when the events are durable. */
  readonly flush: () => Promise<void>;
  readonly onDefect: (message: string, error?: unknown) => void;
}

/** Ends the calls of the hosts that have ended. @returns a promise that never rejects; undefined if every host has closed */
export function endLostCalls(options: LostCallsOptions): Promise<void> | undefined {
  const hosts = options.mark.ended();
  if (hosts.length === 0) return undefined;
  return end(hosts, options).catch((error: unknown) => {
    // The host closes, or the service has reported that its thread ended. The next host finds them.
    if (error instanceof ServiceError && error.name === "ServiceEnded") return;
    options.onDefect("Calls that were lost with an earlier host cannot be found", error);
  });
}

async function end(hosts: readonly EndedHost[], { mark, find, isKept, calls, emit, flush }: LostCallsOptions): Promise<void> {
  for (const lost of await find(hosts)) {
    const { subject, result } = readLost(lost);
    if (isKept(result.callId)) continue;
    const { tool, durationMs, error } = result;
    const { code, message } = error;
    const payload = { tool, code, errorClass: ERROR_TABLE[code].errorClass, message, durationMs };
    emit({ ...subject, type: "tool.failed", payload: { ...payload, ...(isDry(lost) && { dryRun: true as const }) } });
    calls.addLost(result, lost.owner);
  }
  await flush();
  // From now on no later host looks for them.
  for (const host of hosts) mark.settle(host);
}

function isDry({ event }: LostCall): boolean {
  return payloadOf(event)["dryRun"] === true;
}

/** @returns the call as its event describes it, and its result */
function readLost({ event, hasBegun }: LostCall): { readonly subject: EventSubject; readonly result: ToolFailure } {
  const payload = payloadOf(event);
  const { arguments: args = null, sideEffects } = payload;
  const subject: EventSubject = defined({
    ...{ sessionId: text(event["sessionId"]), turnId: text(event["turnId"]), callId: text(event["callId"]) },
    ...{ plugin: text(event["plugin"]), digest: text(event["digest"]), traceparent: text(event["traceparent"]) },
    ...{ chainId: text(event["chainId"]), chainIndex: number(event["chainIndex"]) },
  });
  const { callId = "", plugin, digest } = subject;
  const tool = text(payload["tool"]) ?? "";
  // Redaction may have removed the member.
  const effects = Array.isArray(sideEffects) ? (sideEffects as readonly SideEffect[]) : undefined;
  const mayHaveHappened = hasBegun && payload["dryRun"] !== true && (effects === undefined || changesSomething(effects));
  const why = mayHaveHappened
    ? "it may have changed something (check before calling again)"
    : `${hasBegun ? "it changes nothing" : "it had not begun"} (call again with a new call id)`;
  const error = toolError("lost", `The host ended while the call ${callId} of '${tool}' ${hasBegun ? "ran" : "waited"}: ${why}`, {
    details: { mayHaveHappened, retryable: !mayHaveHappened },
  });
  return {
    subject,
    result: {
      ...{ callId, tool, arguments: args, ...defined({ plugin, digest }) },
      ...{ ok: false, status: "error", output: null, error, requiresApproval: false },
      ...{ content: [], sideEffects: effects ?? [], filesModified: [], durationMs: 0, limitsUsed: { wallMs: 0 }, metadata: {} },
    },
  };
}

function payloadOf(event: JsonObject): JsonObject {
  const payload = event["payload"] ?? null;
  return isJsonObject(payload) ? payload : {};
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
