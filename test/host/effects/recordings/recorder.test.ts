import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonValue } from "../../../../host/mod.ts";
import { createRecordingStore } from "../../../../host/effects/recordings/store.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { type RecordingHost, recordingHost } from "../../../support/recording-host.ts";

const MAIN = `
export async function run({ path = "a.txt", times = 1, fails = false, writes = "" }) {
  const [text, missing] = await Promise.all([Deno.readTextFile(path), Deno.readTextFile("c.txt").catch((error) => error.name)]);
  for (let time = 1; time < times; time++) await Deno.readTextFile(path);
  if (writes !== "") await Deno.writeTextFile("out.txt", writes);
  if (fails) throw new Error("failed with " + text);
  return { text: text.slice(0, 10), missing, random: Math.random(), id: crypto.randomUUID(), now: Date.now() };
}`;

function configText(record?: string): string {
  return JSON.stringify({ confirmation: { perTool: { "demo.run": "auto" } }, ...(record !== undefined && { audit: { record } }) });
}

describe("a recorded call", { timeout: 60_000 }, () => {
  let box: RecordingHost;
  beforeAll(async () => {
    box = await recordingHost(MAIN);
  });
  afterAll(async () => await box[Symbol.asyncDispose]());

  it("keeps operations and answers in the order of asking, and the outcome [B8.recording] [AU3.recording]", async () => {
    const result = await box.call({ writes: "three" });
    expect(result).toMatchObject({ ok: true, recording: { kept: true } });
    const recording = await box.recording(result.callId);
    expect(recording).toMatchObject({
      callId: result.callId,
      tool: "demo.run",
      plugin: "demo",
      digest: result.digest,
      args: { writes: "three" },
      isRedacted: false,
      outcome: { ok: true, output: { o: result.output } },
      used: { fuel: result.limitsUsed.fuel, operations: 3 },
    });
    const bytes = new TextEncoder().encode("one");
    expect(recording.operations).toEqual([
      { name: "fs.readFile", args: { path: "a.txt" }, answer: { ok: true, value: null, bytes } },
      { name: "fs.readFile", args: { path: "c.txt" }, answer: { ok: false, error: expect.objectContaining({ name: "NotFound" }) } },
      {
        name: "fs.writeFile",
        args: expect.objectContaining({ path: "out.txt" }),
        // sha256 of "three"
        sent: { length: 5, sha256: "8b5b9db0c13db24256c829aa364aa90c6d2eba318b9232a4ab9313b954d3555f" },
        answer: { ok: true, value: null },
      },
    ]);
  });

  it("is replayed after its plugin and the files that it read are gone [B8.replay]", async () => {
    await using box = await recordingHost(MAIN);
    const result = await box.call();
    await box.platform.files.remove("/workspace/plugins");
    await box.platform.files.remove("/workspace/a.txt");
    const replayed = await box.replay(await box.recording(result.callId));
    expect(replayed).toEqual({ kind: "same", outcome: { ok: true, output: { o: result.output } } });
  });

  it("is replayed to the same failure [B8.failure]", async () => {
    const result = await box.call({ fails: true });
    expect(result.ok).toBe(false);
    const replayed = await box.replay(await box.recording(result.callId));
    expect(replayed).toMatchObject({ kind: "same", outcome: { ok: false, fault: { kind: "threw", message: "failed with one" } } });
  });

  it.each<[string, string, object]>([
    [
      "asks for another operation",
      MAIN.replace(`"c.txt"`, `"d.txt"`),
      { kind: "asked_otherwise", place: 2, asked: { args: { path: "d.txt" } } },
    ],
    ["asks for more", MAIN.replace("if (fails)", `await Deno.readTextFile("b.txt"); if (fails)`), { kind: "not_recorded", place: 4 }],
    [
      "sends other bytes",
      MAIN.replace("writes);", `writes + "!");`),
      { kind: "asked_otherwise", place: 3, asked: { sent: { length: 6 } } },
    ],
    ["asks for less", MAIN.replace(`await Deno.writeTextFile("out.txt", writes);`, ";"), { kind: "not_asked", place: 3 }],
    [
      "has another outcome",
      MAIN.replace("{ text: text", "{ text: text + text"),
      { kind: "outcome", now: { output: { o: { text: "oneone" } } } },
    ],
    ["reads the clock more often", MAIN.replace("if (fails)", "Date.now(); if (fails)"), { kind: "order" }],
    ["uses more fuel", MAIN.replace("if (fails)", "for (let i = 0; i < 1e5; i++); if (fails)"), { kind: "used", what: "fuel" }],
  ])("shows the first difference of a version that %s [B8.differences]", async (_does, main, first) => {
    const { callId } = await box.call({ writes: "three" });
    const replayed = await box.replay(await box.recording(callId), { "main.ts": main });
    expect(replayed).toMatchObject({ kind: "different", differences: expect.arrayContaining([expect.objectContaining({})]) });
    if (replayed.kind === "different") expect(replayed.differences[0]).toMatchObject(first);
  });

  it("is kept as the project or the call chooses [B8.modes]", async () => {
    await using own = await recordingHost(MAIN, { config: "bascule.json" });
    const recorded = async (record: string | undefined, options: boolean | undefined): Promise<readonly boolean[]> => {
      own.platform.plant("/workspace/bascule.json", configText(record));
      await own.host.reload();
      const kept: boolean[] = [];
      for (const fails of [false, true]) {
        const { callId } = await own.host.call("demo.run", { fails }, options === undefined ? {} : { record: options });
        kept.push((await own.store.read(callId)) !== undefined);
      }
      return kept;
    };
    expect(await recorded(undefined, undefined)).toEqual([false, false]);
    expect(await recorded("none", true)).toEqual([true, true]);
    expect(await recorded("failures", undefined)).toEqual([false, true]);
    expect(await recorded("all", undefined)).toEqual([true, true]);
    expect(await recorded("all", false)).toEqual([false, false]);
  });

  it("is not kept if its plugin keeps state, and says so [B8.state]", async () => {
    await using own = await recordingHost(MAIN, { manifest: { state: "session" } });
    expect((await own.call()).recording).toEqual({ kept: false, reason: "its plugin keeps state between calls" });
  });

  it("holds no secret [B8.secrets] [AU4.recording]", async () => {
    const redact = (value: JsonValue): JsonValue => JSON.parse(JSON.stringify(value).replaceAll("s3cret", "[redacted]")) as JsonValue;
    await using own = await recordingHost(MAIN, { events: { redact } });
    own.platform.plant("/workspace/s3cret.txt", "the s3cret");
    const results = [await own.call({ path: "s3cret.txt" }), await own.call({ path: "s3cret.txt", fails: true })];
    for (const { callId } of results) {
      const text = (await own.store.read(callId)) ?? "";
      expect(text).not.toContain("s3cret");
      expect(text).not.toContain(btoa("the s3cret"));
      expect((await own.recording(callId)).isRedacted).toBe(true);
    }
  });

  it("holds no value of a project's secret, given or read [B8.secrets] [C7.recording]", async () => {
    const main = `export const run = async () => [Deno.env.get("TOKEN"), (await Deno.readTextFile("token.txt")).length];`;
    await using own = await recordingHost(main, {
      config: { confirmation: { perTool: { "demo.run": "auto" } }, secrets: { TOKEN: { env: "TOKEN", hosts: ["example.org"] } } },
      env: { TOKEN: "s3cret-value" },
      manifest: { permissions: { read: ["$workspace"], env: ["TOKEN"] } },
      grants: { demo: { read: true, env: ["TOKEN"] } },
    });
    own.platform.plant("/workspace/token.txt", "is s3cret-value");
    const result = await own.call();
    expect(result.output).toEqual([expect.stringMatching(/^bascule_secret_/), 15]);
    const text = (await own.store.read(result.callId)) ?? "";
    expect(text).toContain("bascule_secret_");
    expect(text).not.toContain("s3cret");
    expect(text).not.toContain(btoa("is s3cret-value"));
    expect(await own.recording(result.callId)).toMatchObject({ isRedacted: true });
  });

  it("is refused on the host route [B6.route]", async () => {
    for (const options of [{ seed: "x" }, { timeMs: 0 }, { record: true }])
      expect(await box.host.call("echo", { text: "x" }, options)).toMatchObject({ ok: false, error: { code: "invalid_args" } });
    expect(await box.host.call("echo", { text: "x" }, { record: false })).toMatchObject({ ok: true });
    for (const options of [{ seed: "x".repeat(1_001) }, { timeMs: 1.5 }, { timeMs: 1e300 }])
      expect(await box.host.call("demo.run", {}, options)).toMatchObject({ ok: false, error: { code: "invalid_args" } });
  });

  it("is seeded; two calls with one seed and time agree [B6.seeded]", async () => {
    const options = { seed: "one", timeMs: Date.UTC(2030, 0, 1) };
    const [first, second, unrecorded] = [
      await box.call({}, options),
      await box.call({}, options),
      await box.call({}, { ...options, record: false }),
    ];
    expect(second.output).toEqual(first.output);
    expect(unrecorded.output).toEqual(first.output);
    expect((await box.call()).output).not.toEqual(first.output);
    expect(await box.replay(await box.recording(second.callId))).toMatchObject({ kind: "same" });
  });

  it("is removed with its plugin when newer ones need the room [B8.room]", async () => {
    const platform = memoryPlatform();
    const store = createRecordingStore(platform, "/workspace/elsewhere", { recordings: 3, bytes: 5_000 });
    const keep = (call: number, digest: string, size: number): Promise<void> =>
      store.keep(
        { callId: `call-${call}`, recordedMs: call, digest: digest.repeat(64) },
        new Uint8Array(size),
        new Map([["main.ts", new Uint8Array(300)]]),
      );
    const kept = async (): Promise<readonly number[]> => {
      const found: number[] = [];
      for (let call = 1; call <= 6; call++) if ((await store.read(`call-${call}`)) !== undefined) found.push(call);
      return found;
    };
    await Promise.all([keep(1, "a", 10), keep(2, "b", 10), keep(3, "b", 10), keep(4, "b", 10)]);
    expect(await kept()).toEqual([2, 3, 4]);
    expect((await platform.files.list("/workspace/elsewhere/calls/plugins")).map(({ name }) => name[0])).toEqual(["b"]);
    await keep(5, "b", 4_570);
    expect(await kept()).toEqual([4, 5]);
    await keep(6, "c", 6_000);
    expect(await kept()).toEqual([]);
    expect(await platform.files.list("/workspace/elsewhere/calls/plugins")).toEqual([]);
  });
});
