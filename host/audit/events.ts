/** The event catalogue (SPEC AU1). Every event is an envelope with a typed payload; all survive a JSON round trip. Types only. */

import type { JsonObject, JsonValue } from "../../manifests/mod.ts";

/** Every type there is. */
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

/** The types of which every call has exactly one (SPEC AU2). */
export const TERMINAL_EVENT_TYPES = ["tool.completed", "tool.failed", "tool.input_invalid", "tool.denied"] as const;
/** How a call ended. */
export type TerminalEventType = (typeof TERMINAL_EVENT_TYPES)[number];

/** What is known of an output that is not carried whole. */
export type LargeNote = {
  /** Its size: of a string the text's in UTF-8, of anything else the JSON's. */
  readonly bytes: number;
  /** Of these bytes, in hexadecimal. */
  readonly sha256: string;
  /** By which it can be read in the call's session, for a while; absent if it was not kept. */
  readonly handle?: string;
};

/** What each type carries. Durations in milliseconds. Type aliases, because those are JSON objects and interfaces are not. */
export type EventPayloads = {
  readonly "tool.registered": ToolRegisteredPayload;
  readonly "tool.unregistered": ToolRegisteredPayload;
  readonly "tool.called": {
    readonly tool: string;
    /** Of those above 64 KB an outline. */
    readonly arguments: JsonValue;
    /** There if they are above 64 KB, and were checked. */
    readonly largeArguments?: LargeNote;
    readonly sideEffects: readonly string[];
    readonly source: string;
    readonly route: string;
    readonly decision: JsonObject;
    /** `direct` or `chain`. */
    readonly caller: string;
    /** It changes nothing (SPEC E8). */
    readonly dryRun?: true;
    /** Policy requires that it is durable before the call does anything, whatever its side effects. */
    readonly required?: true;
  };
  readonly "tool.completed": {
    readonly tool: string;
    /** `null` in place of a large one. */
    readonly output: JsonValue;
    /** There if the output is above 64 KB: no event carries it. */
    readonly large?: LargeNote;
    readonly durationMs: number;
    readonly decision: JsonObject;
    readonly limitsUsed: JsonObject;
    /** It ran dry: nothing was changed. */
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
    /** Of those above 64 KB an outline. */
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
    /** Of those above 64 KB an outline. */
    readonly arguments: JsonValue;
    /** There if they are above 64 KB, and were checked. */
    readonly largeArguments?: LargeNote;
    /** Absent where a hook refused before there was a decision. */
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
  readonly "tool.confirmation_resolved": { readonly requestId: string; readonly decision: string; readonly by: string };
  /** Of a progress above 64 KB an outline. */
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
  /** A person's edit of `.bascule/settings/<plugin>.json`; `ok` is false where the last good one stays in force. */
  readonly "settings.changed": { readonly path: string; readonly ok: boolean; readonly problems?: readonly string[] };
  readonly "session.opened": JsonObject;
  readonly "session.closed": JsonObject;
};

/** What was changed outside of a run: a dry run was committed, or what a call changed was put back (SPEC E8). */
export type ToolCommittedPayload = {
  readonly tool: string;
  readonly ok: boolean;
  readonly filesModified: readonly string[];
  /** Why it was not done, or not all of it. */
  readonly reason?: string;
};

/** A tool that came or went. */
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
  /** Of a request over the network. */
  readonly method?: string;
  readonly plugin?: string;
  readonly callId: string;
  /** It was done to an overlay only (SPEC E8). */
  readonly dryRun?: true;
};

/** What the emitter knows; the bus adds id, time and producer. */
export type EventDraft = { readonly [T in EventType]: DraftOf<T> }[EventType];
/** A draft of one type. */
export type DraftOf<T extends EventType> = EventSubject & { readonly type: T; readonly payload: EventPayloads[T] };

/** What an event is about. */
export interface EventSubject {
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly callId?: string;
  readonly plugin?: string;
  readonly digest?: string;
  readonly traceparent?: string;
  /** Of a call that is a step of a chain (SPEC AU6). */
  readonly chainId?: string;
  readonly chainIndex?: number;
}

/** An event as readers get it; narrow it by `type`. */
export type HostEvent = { readonly [T in EventType]: DraftOf<T> & EventEnvelope }[EventType];

/** What the bus adds. */
export interface EventEnvelope {
  /** UUIDv7. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly producer: string;
}

/** Publishes one event. Never throws. */
export type EmitEvent = (draft: EventDraft) => void;
/** The same, and says whether the event is durable, where its emitter is to wait for that. Never rejects. */
export type KeepEvent = (draft: EventDraft) => Promise<boolean> | undefined;
