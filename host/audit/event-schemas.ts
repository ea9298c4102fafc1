/**
 * TypeBox schemas of the event payloads, checked against the types by the compiler (SPEC AU1).
 *
 * For readers of the log and for tests; not part of `mod.ts`, because loading TypeBox would slow every start.
 */

import { type Static, type TObject, type TOptional, type TProperties, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import type { JsonObject, JsonValue } from "../../manifests/mod.ts";
import type { CapabilityPayload, EventPayloads, EventType, ToolCommittedPayload, ToolRegisteredPayload } from "./events.ts";

/** A TypeBox schema whose values are exactly those of `T`. */
type PayloadSchema<T> = TSchema & { readonly static: T };

const TEXT = Type.String();
const MILLISECONDS = Type.Number({ minimum: 0 });
const ANY_JSON: TUnsafe<JsonValue> = Type.Unsafe<JsonValue>({});
const OBJECT: TUnsafe<JsonObject> = Type.Unsafe<JsonObject>({ type: "object" });
const OPTIONAL_OBJECT: TOptional<TUnsafe<JsonObject>> = Type.Optional(OBJECT);

const DRY = Type.Optional(Type.Literal(true));

const LARGE = Type.Optional(closed({ bytes: Type.Number({ minimum: 0 }), sha256: TEXT, handle: Type.Optional(TEXT) }));

const REGISTERED = schemaOf<ToolRegisteredPayload>()(closed({ toolId: TEXT, tool: TEXT, source: TEXT, capabilities: listOf(TEXT) }));
const CAPABILITY = schemaOf<CapabilityPayload>()(
  closed({
    v: Type.Literal(1),
    datetime: TEXT,
    permission: TEXT,
    value: TEXT,
    decision: TEXT,
    layer: TEXT,
    rule: Type.Optional(TEXT),
    method: Type.Optional(TEXT),
    plugin: Type.Optional(TEXT),
    callId: TEXT,
    dryRun: DRY,
  }),
);
const COMMITTED = schemaOf<ToolCommittedPayload>()(
  closed({ tool: TEXT, ok: Type.Boolean(), filesModified: listOf(TEXT), reason: Type.Optional(TEXT) }),
);
const FREE = schemaOf<JsonObject>()(OBJECT);

/** Payload schemas by event type. */
export const EVENT_SCHEMAS: { readonly [T in EventType]: PayloadSchema<EventPayloads[T]> } = Object.freeze({
  "tool.registered": REGISTERED,
  "tool.unregistered": REGISTERED,
  "tool.called": schemaOf<EventPayloads["tool.called"]>()(
    closed({
      tool: TEXT,
      arguments: ANY_JSON,
      sideEffects: listOf(TEXT),
      source: TEXT,
      route: TEXT,
      decision: OBJECT,
      caller: TEXT,
      dryRun: DRY,
      required: DRY,
    }),
  ),
  "tool.resumed": schemaOf<EventPayloads["tool.resumed"]>()(
    closed({ tool: TEXT, sideEffects: listOf(TEXT), route: TEXT, decision: OBJECT, required: DRY }),
  ),
  "tool.completed": schemaOf<EventPayloads["tool.completed"]>()(
    closed({
      tool: TEXT,
      output: ANY_JSON,
      large: LARGE,
      durationMs: MILLISECONDS,
      decision: OBJECT,
      limitsUsed: OBJECT,
      dryRun: DRY,
    }),
  ),
  "tool.failed": schemaOf<EventPayloads["tool.failed"]>()(
    closed({
      tool: TEXT,
      code: TEXT,
      errorClass: TEXT,
      message: TEXT,
      durationMs: MILLISECONDS,
      decision: OPTIONAL_OBJECT,
      partialOutput: Type.Optional(ANY_JSON),
      timeoutMs: Type.Optional(MILLISECONDS),
      dryRun: DRY,
    }),
  ),
  "tool.input_invalid": schemaOf<EventPayloads["tool.input_invalid"]>()(
    closed({ tool: TEXT, arguments: ANY_JSON, errors: listOf(ANY_JSON), dryRun: DRY }),
  ),
  "tool.denied": schemaOf<EventPayloads["tool.denied"]>()(
    closed({ tool: TEXT, code: TEXT, errorClass: TEXT, message: TEXT, arguments: ANY_JSON, decision: OPTIONAL_OBJECT, dryRun: DRY }),
  ),
  "tool.confirmation_requested": schemaOf<EventPayloads["tool.confirmation_requested"]>()(
    closed({ requestId: TEXT, tool: TEXT, inputSummary: TEXT, class: TEXT, projectedModifications: listOf(TEXT), dryRun: DRY }),
  ),
  "tool.confirmation_resolved": schemaOf<EventPayloads["tool.confirmation_resolved"]>()(
    closed({ requestId: TEXT, decision: TEXT, by: TEXT, scope: Type.Optional(TEXT), reason: Type.Optional(TEXT) }),
  ),
  "tool.output_delta": schemaOf<EventPayloads["tool.output_delta"]>()(closed({ delta: ANY_JSON })),
  "tool.committed": COMMITTED,
  "tool.undone": COMMITTED,
  "plugin.loaded": FREE,
  "plugin.reloaded": FREE,
  "plugin.failed": FREE,
  "plugin.quarantined": FREE,
  "plugin.removed": FREE,
  "capability.used": CAPABILITY,
  "capability.denied": CAPABILITY,
  "grant.changed": FREE,
  "policy.reloaded": FREE,
  "settings.changed": schemaOf<EventPayloads["settings.changed"]>()(
    closed({ path: TEXT, ok: Type.Boolean(), problems: Type.Optional(listOf(TEXT)) }),
  ),
  "session.opened": FREE,
  "session.closed": FREE,
});

/** Does not compile if a payload type and its schema differ in any member. `manifests/project/document-schema.ts` has the same for documents. */
function schemaOf<T>(): <S extends TSchema>(schema: [Static<S>, T] extends [T, Static<S>] ? S : never) => PayloadSchema<T> {
  // The parameter's type checks assignability in both directions.
  return (schema) => schema as unknown as PayloadSchema<T>;
}

function closed<P extends TProperties>(properties: P): TObject<P> {
  return Type.Object(properties, { additionalProperties: false });
}

function listOf<S extends TSchema>(item: S): TUnsafe<readonly Static<S>[]> {
  return Type.Unsafe<readonly Static<S>[]>(Type.Array(item));
}
