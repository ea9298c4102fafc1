import { describe, expect, it } from "vitest";
import { choosePlace, type Seat } from "../../../sandbox/pool/placement.ts";
import { outputOf, startSandbox } from "../../support/sandbox.ts";

const RULES = { maximumWorkers: 3, now: 1_000, busyAfterMs: 20, preempts: true };

interface SeatFields {
  readonly busy?: boolean;
  readonly loads?: boolean;
  readonly reservedFor?: string;
  readonly ready?: boolean;
  /** Number of waiting calls. */
  readonly waiting?: number;
  readonly isFull?: boolean;
}

/** A worker with calls of these plugins. `busy` means that a guest holds its thread. */
function seat(plugins: readonly string[], fields: SeatFields = {}): Seat {
  const entry = fields.busy === true ? { number: 1, enteredAt: 0, endBy: 9_999, lastPoll: 0 } : undefined;
  return {
    ready: fields.ready ?? true,
    loads: fields.loads ?? false,
    jobs: new Map(plugins.map((digest, number) => [number, { ticket: number, digest }])),
    active: plugins.length - (fields.waiting ?? 0),
    isFull: fields.isFull ?? false,
    entry,
    runs: entry && plugins[0],
    reservedFor: fields.reservedFor,
    serves: (digest) => plugins.includes(digest),
    servesOthers: (digest) => plugins.some((other) => other !== digest),
  };
}

const place = (threads: readonly Seat[], reservation?: string): ReturnType<typeof choosePlace> =>
  choosePlace(threads, { digest: "a", isLoad: false, isBrief: false, reservation }, RULES);

describe("choosePlace()", () => {
  it("prefers an idle worker to a fresh one", () => {
    const idle = seat([]);
    expect(place([seat(["a"]), idle])).toEqual({ thread: idle, wantsFresh: false });
  });

  it("loads where plugins were loaded before, unless a guest holds that thread or other plugins' calls are there [LV1.load]", () => {
    const idle = seat([]);
    const loader = seat(["a"], { loads: true });
    const load = (threads: readonly Seat[]): ReturnType<typeof choosePlace> =>
      choosePlace(threads, { digest: "a", isLoad: true, isBrief: false, reservation: undefined }, RULES);
    expect(load([idle, loader])).toEqual({ thread: loader, wantsFresh: false });
    expect(load([seat(["a"], { loads: true, busy: true }), idle])).toEqual({ thread: idle, wantsFresh: false });
    expect(load([seat(["b"], { loads: true }), idle])).toEqual({ thread: idle, wantsFresh: false });
    const shared = seat(["b"], { loads: true });
    expect(load([shared, seat(["b"]), seat(["b", "b"])]).thread).toBe(shared);
  });

  it("keeps brief calls on the worker that is awake for their plugin, until it is held or has many", () => {
    const idle = seat([]);
    const own = seat(["a", "a"]);
    const brief = (threads: readonly Seat[]): unknown =>
      choosePlace(threads, { digest: "a", isLoad: false, isBrief: true, reservation: undefined }, RULES);
    expect(brief([idle, own])).toEqual({ thread: own, wantsFresh: false });
    expect(brief([idle, seat(Array<string>(32).fill("a"))])).toEqual({ thread: idle, wantsFresh: false });
    const held = { ...own, entry: { number: 1, enteredAt: 995, endBy: 9_999, lastPoll: 0 } };
    expect(brief([idle, held])).toEqual({ thread: idle, wantsFresh: false });
  });

  it("prefers a fresh worker to a shared one, and its own to another plugin's", () => {
    const own = seat(["a", "a"]);
    const shared = seat(["b"]);
    expect(place([shared, own])).toEqual({ thread: own, wantsFresh: true });
    expect(place([seat(["b"]), shared, seat(["c"])])).toMatchObject({ wantsFresh: false });
  });

  it("never adds a call of unknown length to another plugin's if guests are not suspended for others [LV1.hostage]", () => {
    const others = [seat(["b"], { waiting: 1 }), seat(["c"]), seat(["b", "c"])];
    const applicant = { digest: "a", isLoad: false, isBrief: false, reservation: undefined };
    const rules = { ...RULES, preempts: false };
    expect(choosePlace(others, applicant, rules)).toEqual({ thread: undefined, wantsFresh: true });
    expect(choosePlace([...others, seat(["a"])], applicant, { ...rules, maximumWorkers: 4 }).thread).toMatchObject({ active: 1 });
    expect(choosePlace(others, { ...applicant, isBrief: true }, rules).thread).toBe(others[0]);
  });

  it("never chooses a worker whose guest holds its thread, or that is not ready", () => {
    expect(place([seat(["b"], { busy: true }), seat([], { ready: false })]).thread).toBeUndefined();
  });

  it("leaves one worker to other plugins, and fills its own ones [B10.fair]", () => {
    const own = seat(["a"]);
    expect(place([own, seat(["a", "a"]), seat([])])).toEqual({ thread: own, wantsFresh: false });
    expect(place([seat(["a"], { busy: true }), seat(["a"], { busy: true }), seat([])])).toEqual({ thread: undefined, wantsFresh: false });
  });

  it("chooses a worker with any number of waiting calls, but not too many calls, nor calls that hold too much memory [B1.parked] [B3.held]", () => {
    const many = (active: number, waiting: number): Seat => seat(Array<string>(active + waiting).fill("b"), { waiting });
    const crowded = [many(64, 0), many(64, 500), many(0, 1_024), seat(["b"], { waiting: 1, isFull: true })];
    expect(place(crowded)).toEqual({ thread: undefined, wantsFresh: true });
    const waiting = many(3, 900);
    expect(place([...crowded, many(4, 0), waiting, many(5, 0)]).thread).toBe(waiting);
    const loading = { digest: "a", isLoad: true, isBrief: false, reservation: undefined };
    const full = seat(["b"], { waiting: 1, isFull: true, loads: true });
    expect(choosePlace([full], loading, RULES).thread).toBe(full);
  });

  it("starts a worker above the maximum for a plugin without one [B10.fair]", () => {
    const held = [seat(["b"], { busy: true }), seat(["b"], { busy: true }), seat(["c"], { busy: true })];
    expect(place(held)).toEqual({ thread: undefined, wantsFresh: true });
  });

  it("keeps reserved and shared workers apart [B1.isolation]", () => {
    const reserved = seat([], { reservedFor: "a" });
    expect(place([reserved], "a")).toEqual({ thread: reserved, wantsFresh: false });
    expect(place([reserved])).toEqual({ thread: undefined, wantsFresh: true });
    expect(place([seat([])], "a")).toEqual({ thread: undefined, wantsFresh: true });
  });
});

describe("isolation", () => {
  it("gives a listed plugin its own worker [B1.isolation]", async () => {
    // One shared worker with a runaway call on it, so only a separate worker can answer.
    await using box = startSandbox({ maximumWorkers: 1, isIsolated: (name) => name === "apart" });
    await box.load("apart", "export function answer() { return 42; }");
    await box.load("shared", "export function spins() { for (;;); }");
    let over = false;
    const stop = new AbortController();
    const spinning = box.call("shared", "spins", { limits: { cpuMs: 60_000 }, signal: stop.signal }).finally(() => (over = true));
    for (let i = 0; i < 5; i++) expect(outputOf(await box.call("apart", "answer"))).toBe(42);
    expect(over).toBe(false);
    stop.abort();
    await spinning;
    expect(box.defects).toEqual([]);
  });
});
