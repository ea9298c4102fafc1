import { describe, expect, it } from "vitest";
import { createCallHistory } from "../../../../host/audit/telemetry/call-history.ts";

const MINUTE = 60_000;
const NOW = 1_700_000_000_000;

describe("createCallHistory()", () => {
  it("counts calls per step and plugin, with percentiles of those that ran [I5.history]", () => {
    const history = createCallHistory();
    for (let nth = 1; nth <= 100; nth += 1) history.add({ time: NOW, plugin: "words", outcome: "completed", durationMs: nth });
    history.add({ time: NOW - MINUTE, plugin: "words", outcome: "denied" });
    history.add({ time: NOW - 3 * MINUTE, outcome: "failed", durationMs: 3 });
    const { from, series } = history.read("1h", NOW);
    expect(from).toBe(Math.floor(NOW / MINUTE) * MINUTE - 59 * MINUTE);
    expect([series.calls.slice(-4), series.failed.slice(-4), series.denied.slice(-4)]).toEqual([
      [1, 0, 1, 100],
      [1, 0, 0, 0],
      [0, 0, 1, 0],
    ]);
    expect([series.p50.slice(-4), series.p95.slice(-4)]).toEqual([
      [3.5, null, null, 50],
      [4.85, null, null, 95],
    ]);
    expect(history.totals("1h", NOW).map(({ series: steps, ...totals }) => ({ ...totals, last: steps.slice(-4) }))).toEqual([
      { plugin: "words", calls: 101, failed: 0, denied: 1, p50: 50, p95: 95, p99: 99, last: [0, 0, 1, 100] },
      { plugin: "(host)", calls: 1, failed: 1, denied: 0, p50: 3.5, p95: 4.85, p99: 4.97, last: [1, 0, 0, 0] },
    ]);
    expect(history.read("1h", NOW).overall).toEqual({ calls: 102, failed: 1, denied: 1, p50: 49.5, p95: 94.95, p99: 98.99 });
    expect(history.read("1h", NOW, "words").series.calls.slice(-4)).toEqual([0, 0, 1, 100]);
    expect(history.read("7d", NOW).series.calls.reduce((sum, calls) => sum + calls, 0)).toBe(102);
  });

  it("keeps a fixed number of steps and plugins, whatever arrives, also when the clock is set back [I5.history]", () => {
    const history = createCallHistory();
    for (let nth = 0; nth < 500; nth += 1) history.add({ time: NOW + nth * MINUTE, plugin: `p${nth % 50}`, outcome: "completed" });
    for (let nth = 0; nth < 50; nth += 1) history.add({ time: NOW + 500 * MINUTE, plugin: `p${nth}`, outcome: "completed" });
    const steps = new Set(history.counts().flatMap(({ range, step }) => (range === "1h" ? [step] : [])));
    expect(steps.size).toBe(60);
    const last = history.counts().filter(({ range, step }) => range === "1h" && step === Math.max(...steps));
    expect([last.length, last.find(({ plugin }) => plugin === "(other)")?.cell.completed]).toEqual([33, 18]);
    history.add({ time: NOW - 10_000 * MINUTE, plugin: "late", outcome: "completed" });
    expect(history.read("1h", NOW - 10_000 * MINUTE).series.calls.at(-1)).toBe(1);
  });

  it("takes the counts of another history [I5.history]", () => {
    const [past, live] = [createCallHistory(), createCallHistory()];
    past.add({ time: NOW - MINUTE, plugin: "words", outcome: "completed", durationMs: 2 });
    past.add({ time: NOW, plugin: "words", outcome: "failed", durationMs: 2 });
    live.add({ time: NOW, plugin: "words", outcome: "completed", durationMs: 2 });
    live.merge(past.counts());
    const { series } = live.read("1h", NOW);
    expect([series.calls.slice(-2), series.failed.slice(-2), series.p99.slice(-2)]).toEqual([
      [1, 2],
      [0, 1],
      [1.99, 1.99],
    ]);
  });
});
