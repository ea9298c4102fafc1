/** The event catalogue (SPEC AU1). Every event is an envelope with a typed payload; all survive a JSON round trip. */

import type { JsonObject } from "../../manifests/mod.ts";

export const EVENT_TYPES = [
  "tool.registered",
  "tool.unregistered",
  "tool.called",
  "tool.completed",
  "tool.failed",
  "tool.input_invalid",
  "tool.denied",
  "tool.confirmation_requested",
  "tool.confirmation_resolved",
  "tool.output_delta",
  "plugin.loaded",
  "plugin.reloaded",
  "plugin.failed",
  "plugin.quarantined",
  "plugin.removed",
  "capability.used",
  "capability.denied",
  "grant.changed",
  "policy.reloaded",
  "session.opened",
  "session.closed",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface HostEvent {
  /** UUIDv7. */
  readonly id: string;
  readonly type: EventType;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly producer: string;
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly callId?: string;
  readonly plugin?: string;
  readonly digest?: string;
  readonly traceparent?: string;
  readonly payload: JsonObject;
}
