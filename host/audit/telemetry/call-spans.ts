/**
 * A span for each call and the same counts as metrics, for whatever OpenTelemetry provider the embedding program has registered
 * (SPEC AU7). Names follow the conventions for tools of generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span).
 *
 * The only file that imports OpenTelemetry, and only hosts with `telemetry` load it: loading takes longer than a start may.
 */

import {
  type Attributes,
  context,
  type Context,
  isSpanContextValid,
  type MeterProvider,
  metrics,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type TracerProvider,
} from "@opentelemetry/api";
import type { ToolCall, ToolResult } from "../../call/call.ts";
import { largeIn } from "../../primitives/json/large.ts";
import { VERSION } from "../../primitives/version.ts";
import { DURATION_BOUNDS } from "./counters.ts";
import { fromTraceparent, toTraceparent } from "./trace-context.ts";

/** Follows calls for OpenTelemetry. */
export interface CallSpans {
  /** Runs a call within its span; what runs gets the span's own trace context. */
  follow(call: ToolCall, tool: string | undefined, run: (call: ToolCall) => Promise<ToolResult>): Promise<ToolResult>;
}

export interface CallSpansOptions {
  /** Arguments and output as attributes, as results show them. They may be personal. */
  readonly content: boolean;
  /** Default: those that are registered globally. */
  readonly tracers?: TracerProvider;
  readonly meters?: MeterProvider;
}

const NAME = "bascule";
const OPERATION = "execute_tool";
const MAX_CONTENT = 8_192;
/** What a cut leaves of a character. */
const LONE = /\p{Surrogate}/gu;

export function createCallSpans({ content, tracers = trace, meters = metrics }: CallSpansOptions): CallSpans {
  const tracer = tracers.getTracer(NAME, VERSION);
  const meter = meters.getMeter(NAME, VERSION);
  const calls = meter.createCounter("bascule.calls", { description: "Calls that ended", unit: "{call}" });
  const active = meter.createUpDownCounter("bascule.calls.active", { description: "Calls without a result yet", unit: "{call}" });
  const duration = meter.createHistogram("bascule.call.duration", {
    description: "From a call's arrival to its result, without waiting for a person",
    unit: "s",
    advice: { explicitBucketBoundaries: [...DURATION_BOUNDS] },
  });

  return {
    async follow(call, tool, run) {
      const parent = parentOf(call);
      const span = tracer.startSpan(
        tool === undefined ? OPERATION : `${OPERATION} ${tool}`,
        { kind: SpanKind.INTERNAL, attributes: startAttributes(call, tool) },
        parent,
      );
      active.add(1);
      try {
        const result = await context.with(trace.setSpan(parent, span), run, undefined, within(call, span));
        const labels = { ...toolAttribute(tool), "bascule.route": result.route ?? "none", ...errorType(result) };
        calls.add(1, labels);
        duration.record(result.durationMs / 1000, labels);
        describe(span, result, content);
        return result;
      } finally {
        active.add(-1);
        span.end();
      }
    },
  };
}

/** What the call came with, else what the embedding program is doing. */
function parentOf({ traceparent }: ToolCall): Context {
  const remote = traceparent === undefined ? undefined : fromTraceparent(traceparent);
  return remote === undefined ? context.active() : trace.setSpanContext(ROOT_CONTEXT, remote);
}

/** Events, host tools and calls to elsewhere belong to the span. Without a provider there is none, and the call is as it was. */
function within(call: ToolCall, span: Span): ToolCall {
  const own = span.spanContext();
  return isSpanContextValid(own) ? Object.freeze({ ...call, traceparent: toTraceparent(own) }) : call;
}

function startAttributes({ callId, session, turnId, caller }: ToolCall, tool: string | undefined): Attributes {
  return {
    "gen_ai.operation.name": OPERATION,
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": callId,
    ...toolAttribute(tool),
    ...(session.agentId !== undefined && { "gen_ai.agent.id": session.agentId }),
    "session.id": session.id,
    "bascule.caller": caller,
    ...(turnId !== undefined && { "bascule.turn.id": turnId }),
  };
}

function toolAttribute(tool: string | undefined): Attributes {
  return tool === undefined ? {} : { "gen_ai.tool.name": tool };
}

function errorType(result: ToolResult): Attributes {
  return result.ok ? {} : { "error.type": result.error.code };
}

function describe(span: Span, result: ToolResult, content: boolean): void {
  if (!span.isRecording()) return;
  const { plugin, digest, route, decision } = result;
  span.setAttributes({
    ...(plugin !== undefined && { "bascule.plugin.name": plugin }),
    ...(digest !== undefined && { "bascule.plugin.digest": digest }),
    ...(route !== undefined && { "bascule.route": route }),
    ...(decision && { "bascule.decision": decision.kind, "bascule.decision.rule": decision.because.rule }),
    ...errorType(result),
    ...(content && {
      "gen_ai.tool.call.arguments": shownAt(result, "arguments"),
      ...(result.ok && { "gen_ai.tool.call.result": shownAt(result, "output") }),
    }),
  });
  // The message may be the guest's own: the code says what happened, and the record has the rest.
  if (!result.ok) span.setStatus({ code: SpanStatusCode.ERROR, message: result.error.code });
}

/** What stays bytes is not parsed for it. */
function shownAt(result: ToolResult, part: "arguments" | "output"): string {
  const large = largeIn(result, part);
  return large === undefined ? shown(result[part]) : `[${large.bytes.length} bytes, sha256 ${large.sha256}]`;
}

function shown(value: ToolResult["arguments"]): string {
  const text = JSON.stringify(value);
  return text.length > MAX_CONTENT ? `${text.slice(0, MAX_CONTENT - 1)}…`.replace(LONE, "\ufffd") : text;
}
