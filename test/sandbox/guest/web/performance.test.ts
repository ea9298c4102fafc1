import { describe, expect, it } from "vitest";
import { evaluateInGuest, startGuest } from "../engine.ts";

describe("performance", () => {
  it("starts before the call's first look at the clock, so it is never 0, on the host's clock [PB1.performance] [B6] [B9]", async () => {
    const guest = await startGuest({
      source: `const atLoad = performance.now(); performance.mark("load");
        export async function tool() { const a = performance.now(); await new Promise((r) => setTimeout(r, 25)); return [atLoad, a, performance.now(), performance.getEntries().length, performance.timeOrigin > 0] }`,
    });
    guest.now += 5_000;
    expect(guest.output()).toEqual([1, 1, 26, 0, true]);
    guest.dispose();
  });

  it("records marks and measures [PB1.performance]", async () => {
    const guest = await startGuest({
      source: `export async function tool() {
        const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
        performance.now(); await sleep(10);
        const mark = performance.mark("a", { detail: { x: [1] } }); await sleep(5); performance.mark("b", { startTime: 3 });
        const m = performance.measure("m", "a"); const n = performance.measure("n", { start: "b", duration: 4, detail: "d" }); const o = performance.measure("o", "b", "a");
        const all = performance.getEntries().map((e) => [e.name, e.entryType, e.startTime, e.duration]);
        const named = performance.getEntriesByName("a", "mark").length; const typed = performance.getEntriesByType("measure").length;
        performance.clearMarks("a"); performance.clearMeasures();
        return { mark: mark.toJSON(), detail: n.detail, all, named, typed, left: performance.getEntries().map((e) => e.name) };
      }`,
    });
    expect(guest.output()).toEqual({
      mark: { name: "a", entryType: "mark", startTime: 11, duration: 0, detail: { x: [1] } },
      detail: "d",
      all: [
        ["o", "measure", 3, 8],
        ["b", "mark", 3, 0],
        ["n", "measure", 3, 4],
        ["m", "measure", 11, 5],
        ["a", "mark", 11, 0],
      ].toSorted(
        (left, right) =>
          Number(left[2]) - Number(right[2]) ||
          ["b", "n", "o", "a", "m"].indexOf(String(left[0])) - ["b", "n", "o", "a", "m"].indexOf(String(right[0])),
      ),
      named: 1,
      typed: 3,
      left: ["b"],
    });
    guest.dispose();
  });

  it("refuses unknown marks and invalid times [PB1.performance]", async () => {
    const attempts = [
      "performance.measure('m', 'none')",
      "performance.mark('a', { startTime: -1 })",
      "performance.measure('m', { start: 1, end: 2, duration: 1 })",
      "performance.mark()",
      "new Performance()",
      "performance.now.call({})",
    ];
    const code = `[${attempts.map((text) => `(() => { try { return ${text} } catch (error) { return error.name } })()`).join(",")}]`;
    expect(await evaluateInGuest(code)).toEqual(["SyntaxError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError"]);
  });

  it("keeps the last 10,000 entries [B4]", async () => {
    expect(
      await evaluateInGuest(
        `(() => { for (let i = 0; i < 10_050; i++) performance.mark("m" + i, { startTime: i }); const all = performance.getEntries(); return [all.length, all[0].name] })()`,
      ),
    ).toEqual([10_000, "m50"]);
  });
});
