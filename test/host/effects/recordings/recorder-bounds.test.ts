/** Tests the recorder without a sandbox: bytes above the bounds are counted, reported and released. */

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createWorkerLauncher } from "../../../../host/platform/threads/workers.ts";
import type { Recording } from "../../../../host/call/recording.ts";
import { readRecording } from "../../../../host/effects/recordings/recording-file.ts";
import { createRecordedAnswers } from "../../../../host/effects/recordings/answers.ts";
import { createRecorder, type OpenRecording, type Recorder } from "../../../../host/effects/recordings/recorder.ts";
import { createRecordingStore } from "../../../../host/effects/recordings/store.ts";
import { createSession } from "../../../../host/call/session.ts";
import { DEFAULT_LIMITS } from "../../../../manifests/mod.ts";
import type { InvocationOutcome, KeptTape } from "../../../../sandbox/mod.ts";
import { recordHostReads } from "../../../support/host-reads.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";
import { pluginVersion } from "../../../support/tools.ts";

// oxlint-disable-next-line require-yield -- nothing to take out
function* same({ bytes }: { readonly bytes: Uint8Array }): Generator<void, Uint8Array> {
  return bytes;
}

const version = pluginVersion("demo", { digest: "ab" });
const MIB = 1024 * 1024;

function start(): {
  readonly recorder: Recorder;
  begin(callId: string): OpenRecording;
  kept(callId: string): Promise<boolean>;
  recording(callId: string): Promise<Recording>;
} {
  const platform = memoryPlatform({}, { workers: createWorkerLauncher() });
  const store = createRecordingStore(platform, `${WORKSPACE}/.bascule`);
  const onDefect = (message: string): never => {
    throw new Error(message);
  };
  const recorder = createRecorder({
    platform,
    store,
    mode: () => "all",
    redact: (value) => value,
    redactLarge: () => ({ isHidden: undefined }),
    redactBytes: same,
    onDefect,
  });
  const session = createSession({ id: "session", workspace: WORKSPACE });
  return {
    recorder,
    begin(callId) {
      const call = { callId, tool: "run", args: {}, session, caller: "direct" } as const;
      const open = recorder.begin({ call, tool: "demo.run", version, args: {}, contextText: "{}", limits: DEFAULT_LIMITS });
      if (open === undefined) throw new Error("nothing begun");
      return open;
    },
    async recording(callId) {
      const read = await readRecording((await store.read(callId)) ?? "");
      if (!read.ok) throw new Error(read.message);
      return read.recording;
    },
    kept: async (callId) => (await store.read(callId)) !== undefined,
  };
}

const TAPE: KeptTape = { startMs: 0, looks: [], entries: [], crypto: [] };
const USED = { wallMs: 1, cpuMs: 1, memoryBytes: 1, outputBytes: 1, logBytes: 0, operations: 0, fuel: 1 };

function ended(tape: KeptTape | undefined): InvocationOutcome {
  return { ok: true, output: { o: null }, used: USED, ...(tape !== undefined && { tape }) };
}

/** Performs operations whose answers have `length` bytes each. */
async function ask(open: OpenRecording, times: number, bytes: number): Promise<void> {
  const handler = open.wrap(() => Promise.resolve({ ok: true, value: null, bytes: new Uint8Array(bytes) }));
  for (let time = 0; time < times; time++) await handler({ name: "fs.readFile", args: { path: "a" } });
}

describe("createRecorder()", { timeout: 60_000 }, () => {
  it("keeps operations in the order of sending, though large arguments are read later [B8.recording] [AX7.trace]", async () => {
    const box = start();
    const open = box.begin("call-order");
    const handler = open.wrap(({ place = 0 }) => Promise.resolve({ ok: true, value: place }));
    for (const place of [2, 3, 1]) await handler({ name: "fs.stat", args: { path: `${place}` }, place });
    expect(await open.end(ended(TAPE))).toEqual({ kept: true });
    const { operations, hostMs } = await box.recording("call-order");
    expect(operations.map(({ args }) => args)).toEqual([{ path: "1" }, { path: "2" }, { path: "3" }]);
    expect(operations.map(({ answer }) => answer)).toEqual([1, 2, 3].map((value) => ({ ok: true, value })));
    expect(hostMs).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)]);
    // A replay asks in another order too.
    const answers = createRecordedAnswers(operations, () => {});
    for (const place of [3, 1, 2]) await answers.answer({ name: "fs.stat", args: { path: `${place}` }, place });
    expect(answers.difference(true)).toBeUndefined();
  });

  it("writes and hashes large arguments and bytes of operations in slices [LV2.recordings]", async () => {
    const box = start();
    const open = box.begin("sliced");
    const args = { path: "a", texts: Array.from({ length: 20_000 }, (_, index) => `text ${index}`) };
    const bytes = new TextEncoder().encode("written ".repeat(20_000));
    using reads = recordHostReads();
    const answer = { ok: true, value: null, bytes: bytes.slice(), moves: true } as const;
    const handler = open.wrap(() => Promise.resolve(answer));
    await handler({ name: "fs.writeFile", args, argsLength: 300_000, bytes });
    // As bytes move to the guest.
    structuredClone(answer.bytes, { transfer: [answer.bytes.buffer] });
    expect([await open.end(ended(TAPE)), reads.longest() <= 64 * 1024]).toEqual([{ kept: true }, true]);
    reads[Symbol.dispose]();
    const { operations } = await box.recording("sliced");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(operations).toEqual([
      { name: "fs.writeFile", args, sent: { length: bytes.length, sha256 }, answer: { ok: true, value: null, bytes } },
    ]);
  });

  it("gives up a recording that outgrows its bound, and releases its bytes [B8.bounded]", async () => {
    const box = start();
    // More than the bound for all open recordings.
    for (let call = 0; call < 10; call++) {
      const open = box.begin(`large-${call}`);
      await ask(open, 7, MIB);
      const reason = "its operations and answers are larger than 8388608 bytes";
      expect(await open.end(ended(TAPE))).toEqual({ kept: false, reason });
      expect(await box.kept(`large-${call}`)).toBe(false);
    }
    const small = box.begin("small");
    await ask(small, 1, MIB);
    expect(await small.end(ended(TAPE))).toEqual({ kept: true });
    expect(await box.kept("small")).toBe(true);
  });

  it("bounds all open recordings together, and ignores answers after the end [B8.together]", async () => {
    const box = start();
    const open = Array.from({ length: 12 }, (_, index) => box.begin(`call-${index}`));
    for (const one of open) await ask(one, 5, MIB);
    const summaries = [];
    for (const one of open) summaries.push(await one.end(ended(TAPE)));
    // 64 MiB hold nine of twelve recordings of some 6.7 MiB.
    expect(summaries.filter((summary) => summary?.kept === true)).toHaveLength(9);
    expect(summaries.at(-1)).toEqual({ kept: false, reason: "too many calls are being recorded at the same time" });
    for (const one of open) await ask(one, 7, MIB);
    const next = box.begin("next");
    await ask(next, 5, MIB);
    expect(await next.end(ended(TAPE))).toEqual({ kept: true });
  });

  it("reports a call without a tape as not kept [B8.no-tape]", async () => {
    const box = start();
    expect(await box.begin("a").end(ended("too_long"))).toEqual({ kept: false, reason: "it read the clock or set timers too often" });
    expect(await box.begin("b").end(ended(undefined))).toEqual({
      kept: false,
      reason: "its worker was terminated before it reported how the call ran",
    });
  });
});
