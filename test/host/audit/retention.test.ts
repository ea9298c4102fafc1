import { describe, expect, it } from "vitest";
import { type ActBounds, createActBudget } from "../../../host/audit/act-budget.ts";
import type { HostEvent } from "../../../host/audit/events.ts";
import { fileOf } from "../../../host/audit/journal-files.ts";
import { createJournal, type EventStore } from "../../../host/audit/journal.ts";
import { journalWriter, retainBy } from "../../../host/host/open-events.ts";
import { callerGroup, decideKept, type Holdings } from "../../../host/audit/retention.ts";
import { type KeptEvent, searchJournal, searchStep } from "../../../host/audit/search.ts";
import { verifyJournal } from "../../../host/audit/verify.ts";
import { createMemoryPlatform, type MemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { createService, type Service } from "../../../host/primitives/service/service.ts";

const FOLDER = "/workspace/.bascule/audit";

function event(number: number, type: string, plugin: string, payload: object = {}): HostEvent {
  return { id: `e${number}`, type, time: number, producer: "bascule", plugin, callId: `c${number}`, payload } as never;
}

function act(number: number, plugin: string, callId: string): HostEvent {
  const payload = { permission: "read", value: `/etc/${number}`, decision: number % 4 === 0 ? "granted" : "denied" };
  return {
    ...event(number, payload.decision === "granted" ? "capability.used" : "capability.denied", plugin, payload),
    callId,
  };
}

const BOUNDS: ActBounds = { rowsOfCall: 10, rowsOfPlugin: 100, rowsOfCaller: 100, rowsOfCallerOfPlugin: 100, windowMs: 1_000 };

describe("createActBudget()", () => {
  it("keeps the first rows of a call, counts the others by kind, and adds the counts at its end [LV3.acts] [AU3.summed]", () => {
    const budget = createActBudget({ ...BOUNDS, rowsOfCall: 3 });
    const kept = Array.from({ length: 11 }, (_, number) => budget.take(act(number, "p", "a") as never, undefined));
    expect(kept).toEqual([true, true, true, ...Array.from({ length: 8 }, () => false)]);
    expect(budget.take(act(50, "p", "b") as never, undefined)).toBe(true);
    const { payload } = JSON.parse(budget.end({ ...event(60, "tool.failed", "p"), callId: "a" }) ?? "") as { payload: object };
    const first = [3, 4, 5, 6, 7].map((number) => ({
      permission: "read",
      value: `/etc/${number}`,
      decision: number === 4 ? "granted" : "denied",
    }));
    expect(payload).toEqual({ rows: 8, counts: { "read denied": 6, "read granted": 2 }, first });
    expect(budget.end({ ...event(61, "tool.failed", "p"), callId: "a" })).toBeUndefined();
    expect(budget.end({ ...event(61, "tool.failed", "p"), callId: "b" })).toBeUndefined();
  });

  it("has one budget for all calls of a plugin within a window, and another for each plugin [LV3.acts]", () => {
    const budget = createActBudget({ ...BOUNDS, rowsOfPlugin: 4 });
    const take = (number: number, plugin: string): boolean => budget.take(act(number, plugin, `${plugin}${number}`) as never, undefined);
    expect([1, 2, 3, 4, 5, 6].map((number) => take(number, "greedy"))).toEqual([true, true, true, true, false, false]);
    expect(take(7, "modest")).toBe(true);
    expect(take(1_001, "greedy")).toBe(true);
  });

  it("has a share for each caller: of a plugin's rows, and of all plugins' together [LV3.acts]", () => {
    const budget = createActBudget({ ...BOUNDS, rowsOfPlugin: 4, rowsOfCaller: 5, rowsOfCallerOfPlugin: 3 });
    let number = 0;
    const take = (plugin: string, caller: string): boolean => budget.take(act(++number, plugin, `${number}`) as never, caller);
    const times = (count: number, plugin: string, caller: string): boolean[] => Array.from({ length: count }, () => take(plugin, caller));
    expect(times(4, "p", "greedy")).toEqual([true, true, true, false]);
    // A refused row counts for neither of its holders.
    expect(times(2, "p", "modest")).toEqual([true, false]);
    expect(times(3, "q", "greedy")).toEqual([true, true, false]);
    expect(times(3, "q", "modest")).toEqual([true, true, false]);
    number = 1_000;
    expect(take("p", "greedy")).toBe(true);
  });

  it("forgets callers whose window has ended, and the oldest of too many [LV5.acts]", () => {
    const budget = createActBudget({ ...BOUNDS, rowsOfPlugin: 1_000_000, rowsOfCaller: 1, windowMs: 100_000 });
    const take = (caller: string): boolean => budget.take(act(1, "p", caller) as never, caller);
    expect([take("first"), take("first")]).toEqual([true, false]);
    for (let caller = 0; caller < 6_000; caller++) take(`c${caller}`);
    expect(take("first")).toBe(true);
  });
});

/** Holdings of a single caller. */
function ofOne(sizes: readonly (readonly [share: string, size: number])[]): Holdings {
  return new Map(sizes.map(([share, size]) => [share, new Map([["0", size]])]));
}

describe("decideKept()", () => {
  it("removes acts first, then rows of the largest plugin, and none of a plugin below its share [LV3.retention]", () => {
    const others = ofOne([
      ["acts evil", 500],
      ["calls evil", 400],
      ["calls weather", 10],
    ]);
    const oldest = ofOne([
      ["acts evil", 60],
      ["calls evil", 30],
      ["calls weather", 20],
      ["calls notes", 5],
    ]);
    expect(decideKept(others, oldest, { target: 1_000, most: 1_000 })).toEqual(
      ofOne([
        ["calls notes", 5],
        ["calls weather", 20],
        ["calls evil", 30],
      ]),
    );
    expect(decideKept(others, oldest, { target: 400, most: 1_000 })).toEqual(
      ofOne([
        ["calls notes", 5],
        ["calls weather", 20],
      ]),
    );
    expect(decideKept(others, oldest, { target: 400, most: 10 })).toEqual(
      ofOne([
        ["calls notes", 5],
        ["calls weather", 5],
      ]),
    );
  });

  it("removes rows of the caller that has most of a plugin's, and none of a caller below its share [LV3.retention]", () => {
    const others: Holdings = new Map([["calls shared", new Map([["greedy", 900]])]]);
    const oldest: Holdings = new Map([
      [
        "calls shared",
        new Map([
          ["greedy", 50],
          ["modest", 20],
        ]),
      ],
      ["calls weather", new Map([["greedy", 30]])],
    ]);
    expect(decideKept(others, oldest, { target: 500, most: 1_000 })).toEqual(
      new Map([
        ["calls weather", new Map([["greedy", 30]])],
        ["calls shared", new Map([["modest", 20]])],
      ]),
    );
  });
});

describe("callerGroup()", () => {
  it("spreads callers over all groups [LV3.retention]", () => {
    const groups = new Set(Array.from({ length: 10_000 }, (_, index) => callerGroup(`token ${index}`)));
    expect(groups.size).toBe(64);
    expect(callerGroup("modest")).not.toBe(callerGroup("greedy"));
  });
});

describe("a full journal", () => {
  interface Full {
    readonly platform: MemoryPlatform;
    readonly store: EventStore;
    readonly search: (limit: number, filter?: object) => Promise<readonly KeptEvent[]>;
    readonly verify: () => ReturnType<typeof verifyJournal>;
  }

  async function open(platform: MemoryPlatform = createMemoryPlatform()): Promise<Full> {
    const onDefect = (message: string, error?: unknown): void => expect.unreachable(`${message} ${String(error)}`);
    const service = (): Service => createService({ threads: undefined, environment: platform, onDefect });
    const store = createJournal({
      ...{ clock: platform.clock, folder: FOLDER, onDefect, maximumFileBytes: 20_000, maximumFiles: 4 },
      writer: journalWriter(service(), FOLDER),
      retain: retainBy(service()),
    });
    await store.prepare();
    const search = (limit: number, filter: object = {}): Promise<readonly KeptEvent[]> =>
      searchJournal((step) => searchStep(step, platform), { folder: FOLDER, filter, limit });
    return { platform, store, search, verify: () => verifyJournal({ ...platform, folder: FOLDER }) };
  }

  async function flood({ store }: Full, plugin: string, from: number, count: number): Promise<void> {
    for (let number = from; number < from + count; number++) {
      void store.append(event(number, "tool.called", plugin, { sideEffects: ["read"], arguments: "x".repeat(500) }));
      if (number % 10 === 0) await store.flush();
    }
    await store.flush();
  }

  it("keeps one plugin's calls, however many another makes, and reports what it removed and since when [LV3.retention] [AU3.removed]", async () => {
    const full = await open();
    await flood(full, "weather", 1, 5);
    await flood(full, "evil", 100, 600);
    await full.store.close();
    const weather = await full.search(100, { plugin: "weather" });
    expect(weather.map(({ number, event: { time } }) => [number, time])).toEqual([1, 2, 3, 4, 5].map((number) => [number, number]));
    const evil = await full.search(1_000, { plugin: "evil" });
    expect(evil.at(-1)?.event["time"]).toBe(699);
    const report = await full.verify();
    expect(report).toEqual({
      ...{ ok: true, problems: [], rows: report.rows, first: report.first, head: report.head },
      removed: { rows: 600 - evil.length, since: Date.UTC(2024, 0, 1), counts: { "calls evil": 600 - evil.length } },
    });
    // The newest first, also if older events were appended again after them.
    expect((await full.search(3)).map(({ event: { time } }) => time)).toEqual([697, 698, 699]);
    expect((await full.search(3, { before: 4 })).map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it("keeps one caller's calls of a plugin, however many calls and sessions another has [LV3.retention]", async () => {
    const full = await open();
    const begin = (number: number, sessionId: string, owner: string): unknown =>
      full.store.append({ ...event(number, "session.opened", "", { owner }), plugin: undefined, sessionId } as never);
    const call = (number: number, sessionId: string): unknown =>
      full.store.append({
        ...event(number, "tool.called", "shared", { sideEffects: ["read"], arguments: "x".repeat(500) }),
        sessionId,
      });
    begin(1, "of-modest", "modest");
    for (let number = 2; number < 7; number++) call(number, "of-modest");
    for (let session = 0; session < 60; session++) {
      begin(100 + session * 20, `of-greedy-${session}`, "greedy");
      for (let number = 1; number <= 10; number++) call(100 + session * 20 + number, `of-greedy-${session}`);
      await full.store.flush();
    }
    await full.store.close();
    const rows = await full.search(2_000, { plugin: "shared" });
    const times = rows.map(({ event: { time } }) => Number(time));
    expect(times.filter((time) => time < 100)).toEqual([2, 3, 4, 5, 6]);
    expect(times.at(-1)).toBe(1_290);
    expect((await full.verify()).removed?.counts).toMatchObject({ "calls shared": 605 - rows.length });
  });

  it("reports a file that was not removed by a host [AU3.verify]", async () => {
    const full = await open();
    await flood(full, "evil", 1, 300);
    await full.store.close();
    const { first, ok } = await full.verify();
    expect(ok).toBe(true);
    const names = (await full.platform.files.list(FOLDER)).map(({ name }) => name).toSorted();
    await full.platform.files.remove(`${FOLDER}/${names[0] ?? ""}`);
    expect((await full.verify()).problems).toEqual([expect.stringContaining("and the journal has no record of their removal")]);
    expect(fileOf("", first)).toBe(`/${names[0] ?? ""}`);
  });

  it("keeps a call's few rows from a guest that is refused ten thousand times, seven times over [LV3.acts]", async () => {
    const full = await open();
    await flood(full, "weather", 1, 3);
    for (let call = 0; call < 7; call++) {
      for (let number = 0; number < 9_500; number++) void full.store.append(act(call * 9_500 + number + 1, "evil", `evil${call}`));
      void full.store.append({ ...event(call, "tool.failed", "evil"), callId: `evil${call}` });
    }
    await full.store.close();
    expect((await full.search(10, { plugin: "weather" })).length).toBe(3);
    const sums = await full.search(100, { type: "capability.summed" });
    const rows = sums.map(({ event: { payload } }) => (payload as { rows: number }).rows);
    const kept = (await full.search(100_000, { type: "capability" })).length - sums.length;
    expect([rows.length, rows.reduce((sum, count) => sum + count, 0) + kept]).toEqual([7, 7 * 9_500]);
  });
});
