import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { context, metrics, SpanStatusCode, trace } from "@opentelemetry/api";
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createHost, functionTool, type Host, type HostOptions } from "../../../../host/mod.ts";
import { fromTraceparent, toTraceparent } from "../../../../host/audit/telemetry/trace-context.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { readPrometheus } from "../../../support/read-prometheus.ts";

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const exporter = new InMemorySpanExporter();
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
});
afterEach(() => exporter.reset());
afterAll(async () => {
  await reader.shutdown();
  trace.disable();
  metrics.disable();
  context.disable();
});

const TEXT = { type: "object", properties: { text: { type: "string" } } } as const;
const seen: { traceparent?: string; active?: string }[] = [];
const look = functionTool(
  (args: { text?: string }, { traceparent }) => {
    const active = trace.getActiveSpan()?.spanContext().spanId;
    seen.push({ ...(traceparent !== undefined && { traceparent }), ...(active !== undefined && { active }) });
    if (args.text === "boom") throw new Error("the secret of the tool");
    return args;
  },
  { name: "look", description: "Looks", sideEffects: [], inputSchema: TEXT },
);

const open = (options: HostOptions = {}): Promise<Host> =>
  createHost({ config: false, platform: memoryPlatform(), tools: [look], telemetry: true, ...options });
const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();

describe("telemetry", () => {
  it("traces a call with one span, a child of the call's trace context [AU7.spans]", async () => {
    await using host = await open();
    seen.length = 0;
    await host.call("look", { text: "private" }, { callId: "c1", traceparent: PARENT, turn: "t1" });
    const [span, ...others] = spans();
    expect(others).toEqual([]);
    expect(span).toMatchObject({ name: "execute_tool look", parentSpanContext: { spanId: "b7ad6b7169203331", isRemote: true } });
    expect(span?.spanContext().traceId).toBe("0af7651916cd43dd8448eb211c80319c");
    expect(span?.status.code).toBe(SpanStatusCode.UNSET);
    expect(span?.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.tool.type": "function",
      "bascule.turn.id": "t1",
      "bascule.route": "host",
      "bascule.decision": "allow",
    });
    expect(JSON.stringify(span?.attributes)).not.toContain("private");
    const own = span?.spanContext();
    expect(seen).toEqual([{ traceparent: own && toTraceparent(own), active: own?.spanId }]);
  });

  it("uses the program's active context if a call has no valid trace context [AU7.spans]", async () => {
    await using host = await open();
    const outer = trace.getTracer("test").startSpan("outer");
    await context.with(trace.setSpan(context.active(), outer), async () => {
      await host.call("look", {});
      await host.call("look", {}, { traceparent: "00-0-0-00" });
    });
    outer.end();
    const children = spans().filter(({ name }) => name === "execute_tool look");
    expect(children.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
      outer.spanContext().spanId,
      outer.spanContext().spanId,
    ]);
  });

  it("records a failure by its code, without the tool's text [AU7.spans]", async () => {
    await using host = await open();
    await host.call("look", { text: "boom" });
    await host.call('made"up\n', {});
    const [failed, missing] = spans();
    expect(failed).toMatchObject({
      name: "execute_tool look",
      status: { code: SpanStatusCode.ERROR, message: "tool_failed" },
      attributes: { "error.type": "tool_failed" },
    });
    expect(missing).toMatchObject({ name: "execute_tool", attributes: { "error.type": "tool_not_found" } });
    expect(JSON.stringify([failed?.attributes, failed?.events, missing?.attributes])).not.toMatch(/secret|made/);
  });

  it("records arguments and output only if enabled, redacted and cut [AU7.content]", async () => {
    await using host = await open({
      telemetry: { content: true },
      events: { redact: (value) => JSON.parse(JSON.stringify(value).replaceAll("hush", "***")) as never },
    });
    await host.call("look", { text: `hush ${"x".repeat(20_000)}` });
    const [span] = spans();
    const shown = String(span?.attributes["gen_ai.tool.call.arguments"]);
    expect(shown.startsWith('{"text":"*** xx')).toBe(true);
    expect(shown).toHaveLength(8_192);
  });

  it("measures calls through the registered provider [AU7.metrics]", async () => {
    await using host = await open();
    await host.call("look", {});
    await host.call("nothing", {});
    await reader.forceFlush();
    const points = measured
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap(({ metrics: all }) => all)
      .find(({ descriptor }) => descriptor.name === "bascule.calls")?.dataPoints;
    expect(points?.map(({ attributes }) => attributes)).toContainEqual({ "gen_ai.tool.name": "look", "bascule.route": "host" });
    expect(points?.map(({ attributes }) => attributes)).toContainEqual({ "bascule.route": "none", "error.type": "tool_not_found" });
  });

  it("does nothing unless enabled [AU7.off]", async () => {
    await using host = await open({ telemetry: false });
    seen.length = 0;
    await host.call("look", {}, { traceparent: PARENT });
    expect([spans(), seen]).toEqual([[], [{ traceparent: PARENT }]]);
    expect(host.metrics()).not.toContain("bascule_calls_total");
    expect(host.metrics()).toContain("bascule_tools ");
  });
});

describe("host.metrics()", () => {
  it("returns valid Prometheus text, whatever names callers make up [AU7.prometheus]", async () => {
    await using host = await open();
    await host.call("look", {});
    for (let n = 0; n < 300; n++) await host.call(`x"} 1\nforged_total{n="${n}`, {});
    const { samples, problems } = readPrometheus(host.metrics());
    expect(problems).toEqual([]);
    const calls = samples.filter(({ name }) => name === "bascule_calls_total").map(({ labels, value }) => [labels["tool"], value]);
    expect(calls).toEqual([
      ["look", 1],
      ["(unknown)", 300],
    ]);
  });
});

describe("fromTraceparent()", () => {
  it("reads valid values of the recommendation, and ignores all others [AU7.spans]", () => {
    expect(fromTraceparent(PARENT)).toEqual({
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: "b7ad6b7169203331",
      traceFlags: 1,
      isRemote: true,
    });
    expect(fromTraceparent(PARENT.replace("00-", "cc-") + "-what-comes-later")?.spanId).toBe("b7ad6b7169203331");
    for (const text of [
      "",
      PARENT.replace("00-", "ff-"),
      `${PARENT}-x`,
      PARENT.toUpperCase(),
      PARENT.replace("b7ad6b7169203331", "0".repeat(16)),
      PARENT.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
      `${PARENT}\n`,
    ])
      expect(fromTraceparent(text), text).toBeUndefined();
  });
});
