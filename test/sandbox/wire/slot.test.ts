import { describe, expect, it } from "vitest";
import { AWAKE, CONTROL_BYTES, type Control, HEARD, openControl, SAID } from "../../../sandbox/wire/protocol.ts";
import { SlotReader, SlotWriter } from "../../../sandbox/wire/slot.ts";
import type { Envelope } from "../../../sandbox/wire/wire.ts";
import { createRandom } from "../../fuzz/random.ts";
import { hostileWorkers } from "../../support/hostile-worker.ts";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import { createSandbox } from "../../../sandbox/mod.ts";
import { INVOCATION, NOTHING_USED, PLUGIN } from "../../support/scripted-worker.ts";

function start() {
  const control: Control = openControl(new SharedArrayBuffer(CONTROL_BYTES));
  return { control, writer: new SlotWriter(control), reader: new SlotReader(control) };
}

describe("a worker's slot", () => {
  it("takes one short message of texts and numbers for a host that polls", () => {
    const { writer, reader } = start();
    const envelope = [[4, 1, 2.5, "fs.readFile", '{"path":"é \\ud800"}']];
    expect(writer.offer(envelope)).toBe(false);
    reader.open();
    expect(writer.offer(envelope)).toBe(true);
    expect(writer.offer(envelope)).toBe(false);
    expect(reader.take()).toEqual(envelope);
    expect(reader.take()).toBeUndefined();
    for (const other of [[{ type: "full", number: 1 }], [[1, "x".repeat(9_000)]], [[1, "é".repeat(8_000)]], [[1], [2]]])
      expect(writer.offer(other)).toBe(false);
    expect(reader.take()).toBeUndefined();
    reader.close();
    expect(writer.offer(envelope)).toBe(false);
  });

  it("is withdrawn if the host stops polling at that moment", () => {
    const { control, writer, reader } = start();
    reader.open();
    // The host polls for the last time while the message is being written.
    const meanwhile = {
      toJSON() {
        reader.close();
        expect(reader.take()).toBeUndefined();
        return 1;
      },
    };
    expect(writer.offer([[meanwhile]])).toBe(false);
    expect([Atomics.load(control.words, AWAKE), Atomics.load(control.words, SAID)]).toEqual([0, 0]);
  });

  it("keeps the order of messages, whichever way each one takes", () => {
    const random = createRandom(1);
    let slots = 0;
    for (let round = 0; round < 200; round++) {
      const { writer, reader } = start();
      const [port, heard]: [Envelope[], unknown[]] = [[], []];
      const hear = (envelope: unknown): void => void (Array.isArray(envelope) && heard.push(...envelope.flat()));
      const acts: [() => void, ...(() => void)[]] = [
        () => {
          const envelope = [[said++]];
          if (writer.offer(envelope)) slots++;
          else port.push((writer.posted(), envelope));
        },
        () => reader.open(),
        () => (reader.close(), hear(reader.take())),
        () => hear(reader.take()),
        () => {
          const [next] = port.splice(0, 1);
          if (next === undefined) return;
          hear(reader.take());
          hear(next);
          reader.heard();
        },
      ];
      let said = 0;
      for (let act = 0; act < 60; act++) random.pick(acts)();
      while (port.length > 0) acts[4]?.();
      hear(reader.take());
      expect(heard).toEqual(Array.from({ length: said }, (_, index) => index));
    }
    expect(slots).toBeGreaterThan(200);
  });

  it("returns only complete messages, whatever a hostile worker writes to it [B5.slot]", () => {
    const { control, writer, reader } = start();
    const { words, slot } = control;
    for (const length of [-1, -(2 ** 31), 2 ** 31 - 1, slot.length + 1, 5]) {
      slot.fill(0xff);
      Atomics.store(words, SAID, length);
      expect(reader.take()).toEqual([]);
      expect(Atomics.load(words, SAID)).toBe(0);
    }
    reader.open();
    expect(writer.offer([["before"]])).toBe(true);
    const taken = reader.take();
    slot.fill(0x20);
    expect(taken).toEqual([["before"]]);
  });
});

describe("the host's thread", () => {
  it("reads the slot before messages posted later, and ignores invalid messages [B5.slot]", async () => {
    const attack = await hostileWorkers();
    const { outcome, worker, number } = attack.begin();
    const writer = new SlotWriter(worker.control);
    Atomics.store(worker.control.words, AWAKE, 1);
    // The worker has posted two messages so far: that it is ready, and its load.
    for (let posted = Atomics.load(worker.control.words, HEARD); posted > 0; posted--) writer.posted();
    expect(writer.offer([["nonsense"]])).toBe(true);
    worker.say({ type: "logs", number, lines: [] });
    writer.posted();
    const done = [3, number, '{"o":"first"}', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    expect(writer.offer([done])).toBe(true);
    worker.say({ type: "done", number, output: '{"o":"second"}', used: NOTHING_USED, lines: [] });
    expect(await outcome).toMatchObject({ ok: true, output: { o: "first" } });
    expect(attack.defects).toEqual([]);
  });

  it("receives operations without posts while it is awake", async () => {
    const launcher = createWorkerLauncher();
    let posted = 0;
    const sandbox = createSandbox(
      {
        ...launcher,
        start(init) {
          const connection = launcher.start(init);
          return { ...connection, onMessage: (listener) => connection.onMessage((envelope) => (posted++, listener(envelope))) };
        },
        // The clock stands still, so the host polls as long as the worker has a job to answer.
        now: () => 0,
      },
      { maximumWorkers: 1 },
    );
    const source = `export async function run() { for (let time = 0; time < 200; time++) await Deno.readTextFile("f"); return "all"; }`;
    const files = new Map([["main.js", new TextEncoder().encode(source)]]);
    const modules = new Map([["main.js", ["run"]]]);
    await sandbox.load({ ...PLUGIN, files, modules, memoryBytes: DEFAULT_LIMITS.memoryBytes, loadMs: 60_000 });
    const before = posted;
    expect(await sandbox.invoke(INVOCATION)).toMatchObject({ ok: true, output: { o: "all" } });
    expect(posted - before).toBeLessThan(50);
    await sandbox.close();
  });
});
