/** The calls that run while `bascule dev` shows events: their arguments, which terminal events lack, and their progress. */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { EventType, HostEvent, TerminalEventType } from "../../audit/events.ts";
import type { LiveRegion } from "./live-region.ts";

type EventOf<T extends EventType> = HostEvent & { readonly type: T };
/** Event that ends a call. */
export type EndEvent = EventOf<TerminalEventType>;

export interface RunningCalls {
  began(event: EventOf<"tool.called">): void;
  waits(event: EventOf<"tool.confirmation_requested">): void;
  reported(event: EventOf<"tool.output_delta">): void;
  /** @returns the call's arguments; undefined if it was not seen to begin */
  ended(event: EndEvent): JsonValue | undefined;
}

/** Maximum number of calls remembered. The host admits fewer at a time; events may be lost, so ends may be missing. */
const MAX_CALLS = 4_096;

export function createRunningCalls(region: Pick<LiveRegion, "progress" | "ended">): RunningCalls {
  const running = new Map<string, { readonly tool: string; readonly args?: JsonValue }>();

  return {
    began({ callId = "", payload }) {
      const [oldest] = running.keys();
      if (running.size >= MAX_CALLS && oldest !== undefined) {
        running.delete(oldest);
        region.ended(oldest);
      }
      running.set(callId, { tool: toolText(payload), args: payload.arguments });
    },
    // The line about the wait follows at once, so the progress before it is over.
    waits: ({ callId = "" }) => region.ended(callId),
    reported({ callId = "", payload }) {
      const call = running.get(callId);
      if (call !== undefined) region.progress(callId, call.tool, payload.delta);
    },
    ended({ callId = "", payload }) {
      const args = "arguments" in payload ? payload.arguments : running.get(callId)?.args;
      running.delete(callId);
      region.ended(callId);
      return args;
    },
  };
}

function toolText({ tool, dryRun }: { readonly tool: string; readonly dryRun?: true }): string {
  return `${tool}${dryRun === true ? " (dry run)" : ""}`;
}
