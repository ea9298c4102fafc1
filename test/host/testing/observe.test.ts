import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Recording } from "../../../host/call/recording.ts";
import { observe, type Observation, profileOf, toCpuProfile, traceOf } from "../../../host/testing/observe.ts";
import { replayWithCurrent } from "../../../host/testing/replay-current.ts";
import type { Observed } from "../../../sandbox/mod.ts";
import { recordingHost, type RecordingHost } from "../../support/recording-host.ts";

const MAIN = `
import { helper } from "./vendor/helper.ts";
interface Args { count?: number; kind?: string }
const fib = (n: number): number => (n < 2 ? n : fib(n - 1) + fib(n - 2));
function busy(): number { return fib(21); }
export async function run({ count = 0, kind = "" }: Args) {
  await Deno.writeTextFile("c.txt", "three");
  Deno.statSync("a.txt");
  const missing = await Deno.readTextFile("none.txt").catch((error) => error.name);
  const texts = await Promise.all(Array.from({ length: count }, () =>
    Deno.readTextFile("a.txt")));
  await helper("b.txt");
  if (kind === "busy") busy();
  return { missing, texts: texts.length };
}`;
const HELPER = `export const helper = (path: string) => Deno.readTextFile(path);`;

describe("a recorded call", { timeout: 60_000 }, () => {
  let box: RecordingHost;
  beforeAll(async () => {
    box = await recordingHost(MAIN, { files: { "vendor/helper.ts": HELPER } });
  });
  afterAll(async () => await box[Symbol.asyncDispose]());

  async function record(args: object): Promise<Recording> {
    const { callId, recording } = await box.call({ ...args });
    expect(recording).toEqual({ kept: true });
    return await box.recording(callId);
  }

  async function observed(recording: Recording): Promise<Extract<Observation, { ok: true }>> {
    const observation = await observe({
      recording,
      files: (await box.store.readPlugin(recording.digest)) ?? new Map(),
      platform: box.platform,
      signal: new AbortController().signal,
      onDefect: () => {},
    });
    if (!observation.ok) throw new Error(observation.reason);
    return observation;
  }

  it("is traced: each operation with its times, result and line in the author's file [AX7.trace]", async () => {
    const recording = await record({ count: 1 });
    const { observed: seen, isSame } = await observed(recording);
    expect(isSame).toBe(true);
    const number: unknown = expect.any(Number);
    const times = { startMs: number, totalMs: number, hostMs: number, waitMs: number };
    expect(traceOf(recording, seen)).toEqual([
      {
        place: 1,
        name: "fs.writeFile",
        args: recording.operations[0]?.args,
        ...times,
        sentBytes: 5,
        resultBytes: 0,
        outcome: "ok",
        at: "main.ts:7:27",
      },
      {
        place: 2,
        name: "fs.stat",
        args: { path: "a.txt" },
        ...times,
        sentBytes: 0,
        resultBytes: number,
        outcome: "ok",
        at: "main.ts:8:16",
      },
      {
        place: 3,
        name: "fs.readFile",
        args: { path: "none.txt" },
        ...times,
        sentBytes: 0,
        resultBytes: number,
        outcome: "NotFound",
        at: "main.ts:9:42",
      },
      {
        place: 4,
        name: "fs.readFile",
        args: { path: "a.txt" },
        ...times,
        sentBytes: 0,
        resultBytes: 3,
        outcome: "ok",
        at: "main.ts:11:22",
      },
      {
        place: 5,
        name: "fs.readFile",
        args: { path: "b.txt" },
        ...times,
        sentBytes: 0,
        resultBytes: 3,
        outcome: "ok",
        at: "main.ts:12:15",
      },
    ]);
    for (const { hostMs = -1, totalMs = -1, waitMs = -1 } of traceOf(recording, seen)) {
      expect(hostMs).toBeGreaterThanOrEqual(0);
      expect(waitMs).toBeGreaterThanOrEqual(0);
      expect(totalMs).toBeGreaterThanOrEqual(0);
    }
  });

  it("is traced with the lines of operations that waited in the sandbox [AX7.trace]", async () => {
    const recording = await record({ count: 200 });
    const lines = traceOf(recording, (await observed(recording)).observed).slice(3, -1);
    expect(lines.length).toBe(200);
    expect(new Set(lines.map(({ at }) => at))).toEqual(new Set(["main.ts:11:22"]));
  });

  it("is traced without lines if it cannot be replayed, and without times if an earlier version recorded it [AX7.trace]", async () => {
    const { hostMs: _hostMs, ...recording } = await record({});
    const { times: _times, ...tape } = recording.tape;
    const { answer: _answer, ...unanswered } = recording.operations[2] ?? { name: "", args: null };
    expect(traceOf({ ...recording, tape, operations: [unanswered] })[0]).toMatchObject({ outcome: "unanswered", resultBytes: 0 });
    expect(traceOf({ ...recording, tape })[1]).toEqual({
      ...{ place: 2, name: "fs.stat", args: { path: "a.txt" }, sentBytes: 0 },
      ...{ resultBytes: expect.any(Number) as number, outcome: "ok" },
    });
  });

  it("is profiled by function, for the same fuel as the call itself [AX7.profile]", async () => {
    const recording = await record({ kind: "busy" });
    const { observed: seen, isSame } = await observed(recording);
    expect(isSame).toBe(true);
    const { functions } = profileOf(seen);
    const [fib] = functions.filter(({ name }) => name === "fib");
    expect(fib).toMatchObject({ place: "main.ts:4:13" });
    const busy = functions.find(({ name }) => name === "busy");
    expect(busy).toMatchObject({ place: "main.ts:5:1", selfFuel: 0 });
    // Most of the call's fuel is in fib, and all of that is below busy and run.
    expect(fib?.selfFuel).toBeGreaterThan(recording.used.fuel / 2);
    expect(busy?.totalFuel).toBe(fib?.totalFuel);
    expect(functions.find(({ name }) => name === "run")?.totalFuel).toBeGreaterThanOrEqual(busy?.totalFuel ?? Infinity);
  });

  it("is compared with the code as it is now, which runs nothing that is not recorded [AX7.current]", async () => {
    const recording = await record({ count: 1 });
    const before = (await box.store.readPlugin(recording.digest)) ?? new Map<string, Uint8Array>();
    const compare = async (main: string): Promise<unknown> =>
      await replayWithCurrent({
        ...{ recording, before, now: new Map([...before, ["main.ts", new TextEncoder().encode(main)]]) },
        ...{ platform: box.platform, signal: new AbortController().signal, onDefect: () => {} },
      });
    expect(await compare(MAIN)).toMatchObject({ kind: "same", isSameResult: true, notRecorded: [], gone: [] });
    // The result does not depend on a moved line or on one more clock read.
    expect(await compare(MAIN.replace("const missing", "Date.now();\nconst missing"))).toMatchObject({ kind: "same" });
    const changed = MAIN.replace(`Deno.statSync("a.txt");`, "").replace(`helper("b.txt")`, `helper("new.txt").catch(() => "")`);
    await box.platform.files.writeAtomic("/workspace/new.txt", "must not be read");
    expect(await compare(changed)).toMatchObject({
      kind: "different",
      isSameResult: true,
      first: {
        place: 2,
        before: { name: "fs.stat", args: { path: "a.txt" }, at: "main.ts:8:16" },
        now: { name: "fs.readFile", args: { path: "none.txt" }, at: "main.ts:9:42" },
      },
      notRecorded: [{ name: "fs.readFile", args: { path: "new.txt" }, at: "main.ts:12:15" }],
      gone: [
        { name: "fs.stat", args: { path: "a.txt" }, at: "main.ts:8:16" },
        { name: "fs.readFile", args: { path: "b.txt" }, at: "main.ts:12:15" },
      ],
    });
    expect(await compare(MAIN.replace("texts: texts.length", "texts: 7"))).toMatchObject({
      kind: "different",
      isSameResult: false,
      before: { output: { o: { texts: 1 } } },
      now: { output: { o: { texts: 7 } } },
      notRecorded: [],
      gone: [],
    });
    expect(await compare("export const other = 1;")).toBe(
      'The plugin does not load: Cannot find the function "run" in "main.ts": no such export (it exports other); write `export function run(args, context)`',
    );
  });
});

describe("toCpuProfile()", () => {
  it("returns a tree of functions with samples, as Chrome reads it [AX7.profile]", () => {
    const observed: Observed = {
      asked: [],
      places: [],
      functions: [
        { name: "run", place: "main.ts:3:1" },
        { name: "sort", place: "native" },
      ],
      stacks: [[0], [0, 1]],
      samples: [
        [0, 10, 100],
        [1, 20, 300],
        [0, 5, 50],
      ],
    };
    expect(profileOf(observed)).toEqual({
      totalMs: 0.45,
      samples: 3,
      functions: [
        { name: "sort", place: "native", selfMs: 0.3, totalMs: 0.3, selfFuel: 20, totalFuel: 20 },
        { name: "run", place: "main.ts:3:1", selfMs: 0.15, totalMs: 0.45, selfFuel: 15, totalFuel: 35 },
      ],
    });
    const frame = { scriptId: "0" };
    expect(toCpuProfile(observed)).toEqual({
      nodes: [
        { id: 1, callFrame: { ...frame, functionName: "(root)", url: "", lineNumber: 0, columnNumber: 0 }, hitCount: 0, children: [2] },
        { id: 2, callFrame: { ...frame, functionName: "run", url: "main.ts", lineNumber: 2, columnNumber: 0 }, hitCount: 2, children: [3] },
        { id: 3, callFrame: { ...frame, functionName: "sort", url: "native", lineNumber: 0, columnNumber: 0 }, hitCount: 1, children: [] },
      ],
      startTime: 0,
      endTime: 450,
      samples: [2, 3, 2],
      timeDeltas: [100, 300, 50],
    });
  });
});
