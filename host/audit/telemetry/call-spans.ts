/**
 * Creates a span and metrics for each call, with the OpenTelemetry provider that the embedding program has registered
 * (SPEC AU7). Names follow the conventions for tools of generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span).
 *
 * This is the only file that imports OpenTelemetry, and only hosts with `telemetry` load it, because loading would slow the start.
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

/** Traces calls with OpenTelemetry. */
export interface CallSpans {
  /** Runs a call in a span and passes the span's trace context to the call. */
  follow(call: ToolCall, tool: string | undefined, run: (call: ToolCall) => Promise<ToolResult>): Promise<ToolResult>;
}

export interface CallSpansOptions {
  /** Adds redacted arguments and output as attributes. They may contain personal data. */
  readonly content: boolean;
  /** Default: the globally registered provider. */
  readonly tracers?: TracerProvider;
  readonly meters?: MeterProvider;
}

const NAME = "bascule";
const OPERATION = "execute_tool";
const MAX_CONTENT = 8_192;
/** A surrogate that a cut separated from its pair. */
const LONE = /\p{Surrogate}/gu;

export function createCallSpans({ content, tracers = trace, meters = metrics }: CallSpansOptions): CallSpans {
  const tracer = tracers.getTracer(NAME, VERSION);
  const meter = meters.getMeter(NAME, VERSION);
  const calls = meter.createCounter("bascule.calls", { description: "Ended calls", unit: "{call}" });
  const active = meter.createUpDownCounter("bascule.calls.active", { description: "Running and waiting calls", unit: "{call}" });
  const duration = meter.createHistogram("bascule.call.duration", {
    description: "Time from a call's arrival to its result, without waiting for confirmation",
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

/** Returns the trace context of the call, or else the active context of the embedding program. */
function parentOf({ traceparent }: ToolCall): Context {
  const remote = traceparent === undefined ? undefined : fromTraceparent(traceparent);
  return remote === undefined ? context.active() : trace.setSpanContext(ROOT_CONTEXT, remote);
}

/** Puts the span into the call, so that events, host tools and remote calls belong to it. Without a provider the call is unchanged. */
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
  // The error's message may be guest text: use the code, the journal has the message.
  if (!result.ok) span.setStatus({ code: SpanStatusCode.ERROR, message: result.error.code });
}

/** Returns the attribute's text. Large values are described, not parsed. */
function shownAt(result: ToolResult, part: "arguments" | "output"): string {
  const large = largeIn(result, part);
  return large === undefined ? shown(result[part]) : `[${large.bytes.length} bytes, sha256 ${large.sha256}]`;
}

function shown(value: ToolResult["arguments"]): string {
  const text = JSON.stringify(value);
  return text.length > MAX_CONTENT ? `${text.slice(0, MAX_CONTENT - 1)}…`.replace(LONE, "\ufffd") : text;
}
