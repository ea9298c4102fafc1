/** The event catalogue (SPEC AU1). Every event is an envelope with a typed payload that survives a JSON round trip. Types only. */

import type { JsonObject, JsonValue } from "../../manifests/mod.ts";

/** All event types. */
export const EVENT_TYPES = [
  "tool.registered",
  "tool.unregistered",
  "tool.called",
  "tool.resumed",
  "tool.completed",
  "tool.failed",
  "tool.input_invalid",
  "tool.denied",
  "tool.confirmation_requested",
  "tool.confirmation_resolved",
  "tool.output_delta",
  "tool.committed",
  "tool.undone",
  "plugin.loaded",
  "plugin.reloaded",
  "plugin.failed",
  "plugin.quarantined",
  "plugin.removed",
  "capability.used",
  "capability.denied",
  "grant.changed",
  "policy.reloaded",
  "settings.changed",
  "session.opened",
  "session.closed",
] as const;
/** One of `EVENT_TYPES`. */
export type EventType = (typeof EVENT_TYPES)[number];

/** Terminal types: every call has exactly one of these events (SPEC AU2). */
export const TERMINAL_EVENT_TYPES = ["tool.completed", "tool.failed", "tool.input_invalid", "tool.denied"] as const;
/** Outcome of a call. */
export type TerminalEventType = (typeof TERMINAL_EVENT_TYPES)[number];

/** Description of an output that the event does not carry as a whole. */
export type LargeNote = {
  /** Size in bytes: of a string, its text in UTF-8; of other values, their JSON. */
  readonly bytes: number;
  /** Hash of these bytes, in hexadecimal. */
  readonly sha256: string;
  /** Handle to read the output in the call's session for a while; absent if it was not kept. */
  readonly handle?: string;
};

/** Payload of each type. Durations are in milliseconds. These are type aliases because interfaces are not assignable to JSON objects. */
export type EventPayloads = {
  readonly "tool.registered": ToolRegisteredPayload;
  readonly "tool.unregistered": ToolRegisteredPayload;
  readonly "tool.called": {
    readonly tool: string;
    /** An outline if the arguments exceed 64 KB. */
    readonly arguments: JsonValue;
    /** Set if the arguments exceed 64 KB and were validated. */
    readonly largeArguments?: LargeNote;
    readonly sideEffects: readonly string[];
    readonly source: string;
    readonly route: string;
    readonly decision: JsonObject;
    /** `direct` or `chain`. */
    readonly caller: string;
    /** Set for a dry run (SPEC E8). */
    readonly dryRun?: true;
    /** Permissions that the user granted the plugin for this call only. */
    readonly callGrant?: JsonObject;
    /** Whether policy requires this event to be durable before the call acts, whatever its side effects. */
    readonly required?: true;
  };
  /** The call continues where it stopped in an earlier process. */
  readonly "tool.resumed": {
    readonly tool: string;
    readonly sideEffects: readonly string[];
    readonly route: string;
    /** As policy decides now. */
    readonly decision: JsonObject;
    readonly required?: true;
  };
  readonly "tool.completed": {
    readonly tool: string;
    /** `null` if the output is large. */
    readonly output: JsonValue;
    /** Set if the output exceeds 64 KB: events do not carry it. */
    readonly large?: LargeNote;
    readonly durationMs: number;
    readonly decision: JsonObject;
    readonly limitsUsed: JsonObject;
    /** Dry run: nothing was changed. */
    readonly dryRun?: true;
  };
  readonly "tool.committed": ToolCommittedPayload;
  readonly "tool.undone": ToolCommittedPayload;
  readonly "tool.failed": {
    readonly tool: string;
    readonly code: string;
    readonly errorClass: string;
    readonly message: string;
    readonly durationMs: number;
    readonly decision?: JsonObject;
    readonly partialOutput?: JsonValue;
    readonly timeoutMs?: number;
    /** Set for a dry run, also for one that did not start: nothing was changed. The same in the next three events. */
    readonly dryRun?: true;
  };
  readonly "tool.input_invalid": {
    readonly tool: string;
    /** An outline if the arguments exceed 64 KB. */
    readonly arguments: JsonValue;
    readonly largeArguments?: LargeNote;
    readonly errors: readonly JsonValue[];
    readonly dryRun?: true;
  };
  readonly "tool.denied": {
    readonly tool: string;
    readonly code: string;
    readonly errorClass: string;
    readonly message: string;
    /** An outline if the arguments exceed 64 KB. */
    readonly arguments: JsonValue;
    /** Set if the arguments exceed 64 KB and were validated. */
    readonly largeArguments?: LargeNote;
    /** Absent if a hook refused before there was a decision. */
    readonly decision?: JsonObject;
    readonly dryRun?: true;
  };
  readonly "tool.confirmation_requested": {
    readonly requestId: string;
    readonly tool: string;
    readonly inputSummary: string;
    readonly class: string;
    readonly projectedModifications: readonly string[];
    readonly dryRun?: true;
  };
  readonly "tool.confirmation_resolved": {
    readonly requestId: string;
    readonly decision: string;
    readonly by: string;
    /** How long an approval holds, if not for this call only: `session` or `always`. */
    readonly scope?: string;
    /** Reason that the user gave for a denial. */
    readonly reason?: string;
  };
  /** An outline if the progress exceeds 64 KB. */
  readonly "tool.output_delta": { readonly delta: JsonValue };
  readonly "plugin.loaded": JsonObject;
  readonly "plugin.reloaded": JsonObject;
  readonly "plugin.failed": JsonObject;
  readonly "plugin.quarantined": JsonObject;
  readonly "plugin.removed": JsonObject;
  readonly "capability.used": CapabilityPayload;
  readonly "capability.denied": CapabilityPayload;
  readonly "grant.changed": JsonObject;
  readonly "policy.reloaded": JsonObject;
  /** The user edited `.bascule/settings/<plugin>.json`. `ok` is false if the last valid version stays in force. */
  readonly "settings.changed": { readonly path: string; readonly ok: boolean; readonly problems?: readonly string[] };
  readonly "session.opened": JsonObject;
  readonly "session.closed": JsonObject;
};

/** Changes outside of a run: a dry run was committed, or a call was undone (SPEC E8). */
export type ToolCommittedPayload = {
  readonly tool: string;
  readonly ok: boolean;
  readonly filesModified: readonly string[];
  /** Reason if the changes were not made, or only in part. */
  readonly reason?: string;
};

/** A registered or unregistered tool. */
export type ToolRegisteredPayload = {
  readonly toolId: string;
  readonly tool: string;
  readonly source: string;
  readonly capabilities: readonly string[];
};

/** A superset of Deno's permission audit line (SPEC PA8); the plugin and call are in the envelope too. */
export type CapabilityPayload = {
  readonly v: 1;
  readonly datetime: string;
  readonly permission: string;
  readonly value: string;
  readonly decision: string;
  readonly layer: string;
  readonly rule?: string;
  /** HTTP method of a network request. */
  readonly method?: string;
  readonly plugin?: string;
  readonly callId: string;
  /** Whether it was applied to an overlay only (SPEC E8). */
  readonly dryRun?: true;
};

/** An event as its emitter provides it; the bus adds id, time and producer. */
export type EventDraft = { readonly [T in EventType]: DraftOf<T> }[EventType];
/** A draft of one event type. */
export type DraftOf<T extends EventType> = EventSubject & { readonly type: T; readonly payload: EventPayloads[T] };

/** The subject of an event. */
export interface EventSubject {
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly callId?: string;
  readonly plugin?: string;
  readonly digest?: string;
  readonly traceparent?: string;
  /** Set if the call is a step of a chain (SPEC AU6). */
  readonly chainId?: string;
  readonly chainIndex?: number;
}

/** A published event; narrow it by `type`. */
export type HostEvent = { readonly [T in EventType]: DraftOf<T> & EventEnvelope }[EventType];

/** Fields that the bus adds. */
export interface EventEnvelope {
  /** UUIDv7. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly producer: string;
}

/** Publishes one event. Never throws. */
export type EmitEvent = (draft: EventDraft) => void;
/** Publishes one event. Resolves to whether it is durable, if its emitter has to wait for that. Never rejects. */
export type KeepEvent = (draft: EventDraft) => Promise<boolean> | undefined;
