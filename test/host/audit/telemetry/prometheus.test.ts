import { describe, expect, it } from "vitest";
import { createCallCounters } from "../../../../host/audit/telemetry/counters.ts";
import { hostGauges } from "../../../../host/audit/telemetry/gauges.ts";
import { toPrometheus } from "../../../../host/audit/telemetry/mod.ts";
import { readPrometheus } from "../../../support/read-prometheus.ts";

describe("toPrometheus()", () => {
  it("writes families in Prometheus format, with cumulative buckets [AU7.prometheus]", () => {
    const text = toPrometheus([
      { name: "bascule_x_total", help: "X", type: "counter", samples: [{ labels: { a: "1", b: "2" }, value: 3 }] },
      { name: "bascule_none", help: "None", type: "gauge", samples: [] },
      {
        name: "bascule_y_seconds",
        help: "Y",
        type: "histogram",
        bounds: [0.5, 1],
        samples: [{ labels: {}, buckets: [2, 1], sum: 9.5, count: 4 }],
      },
    ]);
    expect(text).toBe(
      [
        "# HELP bascule_x_total X",
        "# TYPE bascule_x_total counter",
        'bascule_x_total{a="1",b="2"} 3',
        "# HELP bascule_y_seconds Y",
        "# TYPE bascule_y_seconds histogram",
        'bascule_y_seconds_bucket{le="0.5"} 2',
        'bascule_y_seconds_bucket{le="1"} 3',
        'bascule_y_seconds_bucket{le="+Inf"} 4',
        "bascule_y_seconds_sum 9.5",
        "bascule_y_seconds_count 4",
        "",
      ].join("\n"),
    );
  });

  it("escapes names, so that none ends its line or quotes [AU7.prometheus]", () => {
    const hostile = ['a"} 1\nforged_total 9', "back\\slash", "\ud800", "x".repeat(10_000), '\\"', "\\n", "\u202e"];
    const text = toPrometheus([
      { name: "bascule_x_total", help: "a\nb\\", type: "counter", samples: hostile.map((tool, value) => ({ labels: { tool }, value })) },
    ]);
    const read = readPrometheus(text);
    expect(read.problems).toEqual([]);
    expect(read.samples.map(({ name }) => name)).toEqual(hostile.map(() => "bascule_x_total"));
    const labels = read.samples.map((sample) => sample.labels["tool"]);
    expect(labels.slice(0, 2)).toEqual(hostile.slice(0, 2));
    expect(labels[2]).toBe("\ufffd");
    expect(labels[3]).toHaveLength(192);
    expect(labels.slice(4)).toEqual(hostile.slice(4));
  });
});

describe("createCallCounters()", () => {
  it("keeps the longest possible tool names distinct [AU7.metrics]", () => {
    const counters = createCallCounters();
    const longest = `mcp__${"s".repeat(63)}.${"t".repeat(63)}`;
    for (const last of ["a", "b"]) counters.ended({ tool: `${longest}${last}`, outcome: "ok", durationMs: 1 });
    const read = readPrometheus(toPrometheus(counters.families()));
    const tools = read.samples.filter(({ name }) => name === "bascule_calls_total").map(({ labels }) => labels["tool"]);
    expect(tools).toEqual([`${longest}a`, `${longest}b`]);
  });

  it("counts calls, durations, denials and active calls [AU7.metrics]", () => {
    const counters = createCallCounters();
    for (let n = 0; n < 4; n++) counters.begun();
    counters.ended({ tool: "echo", outcome: "ok", route: "host", durationMs: 2 });
    counters.ended({ tool: "echo", outcome: "fs_denied", durationMs: 700_000 });
    counters.ended({ outcome: "tool_not_found", durationMs: 0 });
    counters.refused("net");
    const { samples, problems } = readPrometheus(toPrometheus(counters.families()));
    expect(problems).toEqual([]);
    const value = (name: string, labels: Record<string, string>): number | undefined =>
      samples.find((sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels))?.value;
    expect(value("bascule_calls_total", { tool: "echo", outcome: "ok" })).toBe(1);
    expect(value("bascule_calls_total", { tool: "echo", outcome: "fs_denied" })).toBe(1);
    expect(value("bascule_calls_total", { tool: "(unknown)", outcome: "tool_not_found" })).toBe(1);
    expect(value("bascule_denials_total", { code: "fs_denied" })).toBe(1);
    expect(value("bascule_capability_denials_total", { permission: "net" })).toBe(1);
    expect(value("bascule_calls_active", {})).toBe(1);
    expect(value("bascule_call_duration_seconds_bucket", { route: "host", le: "0.001" })).toBe(0);
    expect(value("bascule_call_duration_seconds_bucket", { route: "host", le: "0.0025" })).toBe(1);
    expect(value("bascule_call_duration_seconds_bucket", { route: "none", le: "600" })).toBe(1);
    expect(value("bascule_call_duration_seconds_bucket", { route: "none", le: "+Inf" })).toBe(2);
  });

  it("does not grow with the names of short-lived tools [AU7.cardinality]", () => {
    const counters = createCallCounters();
    for (let n = 0; n < 5_000; n++) {
      counters.begun();
      counters.ended({ tool: `tool${n}`, outcome: "ok", durationMs: 1 });
      // A trusted plugin's process that controls its broker could send this.
      counters.refused(`made up ${n}`);
    }
    const { samples } = readPrometheus(toPrometheus(counters.families()));
    const calls = samples.filter(({ name }) => name === "bascule_calls_total");
    expect(calls).toHaveLength(201);
    expect(calls.find(({ labels }) => labels["tool"] === "(other)")?.value).toBe(4_800);
    const refusals = samples.filter(({ name }) => name === "bascule_capability_denials_total");
    expect(refusals.map(({ labels, value }) => [labels["permission"], value])).toEqual([["(other)", 5_000]]);
  });
});

describe("hostGauges()", () => {
  it("reports the host's state [AU7.metrics]", () => {
    const state = { version: "1.2.3", tools: 7, plugins: ["loaded", "failed", "loaded"], confirmations: 1 };
    const { samples, problems } = readPrometheus(
      toPrometheus(hostGauges({ ...state, sandbox: { workers: 3, busy: 1, queued: 5, memoryBytes: 9 } })),
    );
    expect(problems).toEqual([]);
    expect(samples.map(({ name, labels, value }) => [name, labels, value])).toEqual([
      ["bascule_info", { version: "1.2.3" }, 1],
      ["bascule_tools", {}, 7],
      ["bascule_plugins", { state: "loaded" }, 2],
      ["bascule_plugins", { state: "failed" }, 1],
      ["bascule_confirmations_pending", {}, 1],
      ["bascule_sandbox_workers", { state: "busy" }, 1],
      ["bascule_sandbox_workers", { state: "idle" }, 2],
      ["bascule_sandbox_queue_length", {}, 5],
      ["bascule_sandbox_memory_bytes", {}, 9],
    ]);
  });
});
