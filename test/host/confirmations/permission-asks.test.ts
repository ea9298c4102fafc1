import { describe, expect, it } from "vitest";
import { CallClock } from "../../../sandbox/worker/call/call-clock.ts";
import type { ConfirmationRequest, ConfirmPrompt, HostEvent } from "../../../host/mod.ts";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { createSlots } from "../../../host/call/session.ts";
import { CONTROL_BYTES, END_BY, openControl } from "../../../sandbox/wire/protocol.ts";
import { recordingHost, type RecordingHost, type RecordingHostOptions } from "../../support/recording-host.ts";

const READS = `
export async function run({ paths = ["a.txt"], sync = false, again = false }) {
  const states = [];
  for (const path of paths) {
    const asked = { name: "read", path };
    const status = sync ? Deno.permissions.requestSync(asked) : await Deno.permissions.request(asked);
    states.push(status.state);
    if (again) states.push((await Deno.permissions.request(asked)).state);
  }
  const query = await Deno.permissions.query({ name: "read", path: paths[0] });
  return { states, now: query.state, text: await Deno.readTextFile(paths[0]) };
}
`;

/** A plugin without grants that requests to read the workspace. */
function asking(main: string = READS, options: RecordingHostOptions = {}): Promise<RecordingHost> {
  const tools = [{ name: "run", description: "Runs", inputSchema: { type: "object" }, sideEffects: ["read"] }];
  return recordingHost(main, { grants: {}, manifest: { tools }, ...options });
}

function person(answer: boolean | "unanswered" = true): { readonly asked: ConfirmationRequest[]; readonly confirm: ConfirmPrompt } {
  const asked: ConfirmationRequest[] = [];
  return { asked, confirm: async (request) => (asked.push(request), answer === "unanswered" ? undefined : answer) };
}

describe("Deno.permissions.request", () => {
  it("waits in place for the user's approval, which covers this call and the shown permission only [E7]", async () => {
    const events: HostEvent[] = [];
    await using host = await asking(READS, { events: { publish: (event) => events.push(event) } });
    const { asked, confirm } = person();
    const result = await host.host.call("demo.run", {}, { confirm, callId: "c1" });
    expect(result).toMatchObject({ ok: true, output: { states: ["granted"], now: "granted", text: "one" } });
    expect(asked).toEqual([
      expect.objectContaining({
        callId: "c1",
        tool: "demo.run",
        permission: { kind: "read", value: "/workspace/a.txt" },
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      }),
    ]);
    const questions = events.filter(({ type }) => type.startsWith("tool.confirmation"));
    expect(questions.map(({ payload }) => payload)).toMatchObject([
      { inputSummary: 'read "/workspace/a.txt"' },
      { decision: "allowed", by: "person" },
    ]);
    // The next call asks again, because the plugin's stored grant is unchanged.
    expect(await host.host.call("demo.run", {}, { confirm })).toMatchObject({ ok: true });
    expect(asked).toHaveLength(2);
    expect(host.host.grants.list()).toEqual([]);
    const other = person();
    const both = await host.host.call(
      "demo.run",
      { paths: ["a.txt", "b.txt"] },
      {
        confirm: async (request, signal) =>
          (await other.confirm(request, signal)) === true && request.permission?.value?.endsWith("a.txt") === true,
      },
    );
    expect(both).toMatchObject({ ok: true, output: { states: ["granted", "denied"] } });
  });

  it("waits in a synchronous call too [E7.sync]", async () => {
    await using host = await asking();
    const { asked, confirm } = person();
    expect(await host.host.call("demo.run", { sync: true }, { confirm })).toMatchObject({
      ok: true,
      output: { states: ["granted"], text: "one" },
    });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ["no", false],
    ["nothing", "unanswered"],
  ] as const)("returns denied if the user answers %s, and does not ask again [E7.denied]", async (_what, answer) => {
    await using host = await asking(READS.replace("await Deno.readTextFile(paths[0])", "0"));
    const { asked, confirm } = person(answer);
    const result = await host.host.call("demo.run", { again: true }, { confirm });
    expect(result).toMatchObject({ ok: true, output: { states: ["denied", "denied"], now: "prompt" } });
    expect(asked).toHaveLength(1);
  });

  it("returns denied with the missing grant if the user cannot be asked [E7.unattended]", async () => {
    await using host = await asking();
    const result = await host.host.call("demo.run", {}, { unattended: "refuse" });
    expect(result).toMatchObject({
      ok: false,
      error: { code: "tool_failed", hint: { command: expect.stringContaining("bascule grant demo --allow-read=") } },
    });
  });

  it("does not ask about granted permissions [E7]", async () => {
    await using host = await asking(READS, { grants: { demo: { read: true } } });
    const { asked, confirm } = person();
    expect(await host.host.call("demo.run", {}, { confirm })).toMatchObject({ ok: true, output: { states: ["granted"] } });
    expect(asked).toEqual([]);
  });

  it("stops the call's clock until the answer [E7.clock]", async () => {
    await using host = await asking();
    const wallMs = 2_000;
    const confirm: ConfirmPrompt = async () => {
      const until = performance.now() + wallMs + 300;
      await expect.poll(() => performance.now() > until, { timeout: 30_000 }).toBe(true);
      return true;
    };
    expect(await host.host.call("demo.run", {}, { confirm, timeoutMs: wallMs })).toMatchObject({ ok: true, output: { text: "one" } });
  });

  it("lends its slot to the session's other calls meanwhile [E7.slot, D4]", async () => {
    await using host = await asking();
    const session = host.host.session({ concurrency: 1 });
    const other = person();
    const confirm: ConfirmPrompt = async () => {
      expect(await host.host.call("echo", { text: "meanwhile" }, { session })).toMatchObject({ ok: true });
      return await other.confirm({} as ConfirmationRequest, new AbortController().signal);
    };
    expect(await host.host.call("demo.run", {}, { session, confirm })).toMatchObject({ ok: true });
    expect([session.slots.running, session.slots.waiting]).toEqual([0, 0]);
  });
});

describe("a lent slot", () => {
  const signal = new AbortController().signal;

  it("is given to the next waiting call, taken back in order, and left once [E7.slot]", async () => {
    const slots = createSlots(1, 1);
    const first = await slots.enter(signal);
    if (first.kind !== "entered") throw new Error("No slot");
    const second = slots.enter(signal);
    const takeBack = first.lend();
    const entered = await second;
    if (entered.kind !== "entered") throw new Error("No slot");
    const back = takeBack(signal);
    expect([slots.running, slots.waiting]).toEqual([1, 1]);
    entered.leave();
    await back;
    expect(slots.running).toBe(1);
    first.leave();
    first.leave();
    expect(slots.running).toBe(0);
  });

  it("is not taken back if its call ends meanwhile [E7.slot]", async () => {
    const slots = createSlots(1, 1);
    const entry = await slots.enter(signal);
    if (entry.kind !== "entered") throw new Error("No slot");
    const takeBack = entry.lend();
    entry.leave();
    await takeBack(signal);
    expect(slots.running).toBe(0);
    await takeBack(AbortSignal.abort());
    expect(slots.running).toBe(0);
  });
});

describe("a call's clock", () => {
  it("stops while any confirmation is open, and resumes with the remaining time [E7.clock]", () => {
    let now = 1_000;
    const control = openControl(new SharedArrayBuffer(CONTROL_BYTES));
    const clock = new CallClock(1, { ...DEFAULT_LIMITS, wallMs: 100, cpuMs: 1_000 }, { control, now: () => now, threadCpuMs: () => 0 });
    clock.enter();
    now += 40;
    clock.pause();
    clock.pause();
    clock.leave();
    now += 10_000;
    clock.enter();
    clock.resume();
    expect(clock.check()).toBeUndefined();
    clock.resume();
    expect(clock.wallEnd).toBe(now + 60);
    expect(control.times[END_BY]).toBe(now + 60);
    now += 60;
    expect(clock.check()).toMatchObject({ kind: "timeout", limit: "wall" });
  });
});
