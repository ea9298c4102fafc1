/** Plugins send dozens of operations with large arguments: the host reads one at a time, in slices, and alternates between plugins. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { jsonPieces } from "../../../host/primitives/json/write-slices.ts";
import { DEFAULT_LIMITS, type JsonValue } from "../../../manifests/mod.ts";
import { type Answering, answerOperation, type AskingCall, createOperationRoom } from "../../../sandbox/pool/answer-operation.ts";
import { LARGE_BYTES } from "../../../sandbox/wire/marshal.ts";
import type { HostCallHandler } from "../../../sandbox/mod.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { outputOf, SANDBOXES, startSandbox } from "../../support/sandbox.ts";
import { INVOCATION } from "../../support/scripted-worker.ts";

const LARGE = JSON.stringify({ many: "x".repeat(LARGE_BYTES) });
const MAIN = `
export const floods = async ({ count }) => {
  const many = "{},".repeat(30_000);
  const asked = Array.from({ length: count }, () => context.workspace.patch("a", many, "b").catch(({ name }) => name));
  return (await Promise.all(asked)).length;
};
let context;
export const attacks = async (args, given) => { context = given; return await floods(args); };
const LISTS = [Array.from({ length: 30_000 }, (_, at) => ({ "ü": at })), "\\n".repeat(200_000)];
export const calls = async (args, { tools }) => {
  const [many, text] = LISTS;
  const long = await tools.call("a.b", { many, text }).then((output) => output === JSON.stringify({ many, text }).length);
  const wide = await tools.call("a.b", Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => ["k" + at, "twelve chars"]))).catch(({ message }) => message);
  return { long, wide };
};
export const reads = () => Deno.readTextFile("x").catch(({ name }) => name);
`;

describe("attack: operations with large arguments", () => {
  it("are read one at a time, alternating between plugins, and small ones at once [LV2.arguments] [LV3.arguments]", async () => {
    const turns: (() => void)[] = [];
    const room = createOperationRoom({ after: (_delayMs, task) => turns.push(task) });
    const read: string[] = [];
    const thread: Answering = { answer() {}, answerSync() {}, unheard() {} };
    const ask = (plugin: string, text: string): void => {
      const job: AskingCall = {
        ...{ number: 1, thread, effects: 0, operations: 0, pendingOperations: 0, asking: 0 },
        invocation: {
          ...INVOCATION,
          limits: DEFAULT_LIMITS,
          hostCall: () => {
            read.push(plugin);
            return Promise.resolve({ ok: true, value: null });
          },
        },
      };
      answerOperation(thread, job, { type: "operation", number: 1, operation: 1, name: "tools.call", text }, { plugin, room });
    };
    for (let count = 0; count < 3; count++) ask("flood", LARGE);
    ask("other", LARGE);
    ask("small", "{}");
    for (const expected of [["small", "flood"], ["flood"], ["other"], ["flood"]]) {
      await nextTurn();
      expect(read.splice(0)).toEqual(expected);
      for (const task of turns.splice(0)) task();
    }
  });

  it("are answered, and others are read, if the host's reader fails [LV2.arguments]", async () => {
    const answers: string[] = [];
    const said: unknown[] = [];
    const thread: Answering = { answer: (_number, _id, text) => void answers.push(text), answerSync() {}, unheard() {} };
    const room = createOperationRoom({ after: (_delayMs, task) => task() }, () => Promise.reject(new Error("The reader is broken")));
    const job: AskingCall = {
      ...{ number: 1, thread, effects: 0, operations: 0, pendingOperations: 0, asking: 0 },
      invocation: { ...INVOCATION, limits: DEFAULT_LIMITS, onLogs: (lines) => void said.push(...lines) },
    };
    for (const id of [1, 2])
      answerOperation(thread, job, { type: "operation", number: 1, operation: id, name: "tools.call", text: LARGE }, { plugin: "a", room });
    await expect
      .poll(() => answers)
      .toEqual(Array.from({ length: 2 }, () => `e${JSON.stringify({ name: "Error", message: "tools.call failed" })}`));
    expect([said.length, job.pendingOperations]).toEqual([2, 0]);
  });

  for (const [kind, options] of SANDBOXES) {
    it(`are parsed and decoded in slices, on the ${kind} [LV2.operations]`, async () => {
      await using box = startSandbox(options);
      expect(await box.load("asks", MAIN)).toMatchObject({ ok: true });
      const hostCall: HostCallHandler = ({ args }) => {
        // The JSON of a frozen copy, written outside of the measured time.
        const { length } = [...jsonPieces((args as { args: JsonValue }).args, {})].join("");
        return Promise.resolve({ ok: true, value: { ok: true, output: length } });
      };
      using reads = recordHostReads();
      const outcome = await box.call("asks", "calls", { hostCall });
      const longest = reads.longest();
      reads[Symbol.dispose]();
      const wide = `Cannot run "tools.call": its arguments are not JSON within the limits (above 64 KB an object has at most 10000 members)`;
      expect(outputOf(outcome)).toEqual({ long: true, wide });
      expect([longest <= LARGE_BYTES + 4_096, box.defects]).toEqual([true, []]);
    });

    it(`do not delay others, on the ${kind} [LV1.arguments]`, async () => {
      await using box = startSandbox(options);
      for (const name of ["evil", "other"]) expect(await box.load(name, MAIN)).toMatchObject({ ok: true });
      const flood = box.call("evil", "attacks", { args: { count: 20 } });
      for (let count = 0; count < 5; count++) expect(outputOf(await box.call("other", "reads"))).toBe("NotCapable");
      expect(outputOf(await flood)).toBe(20);
      expect(box.defects).toEqual([]);
    }, 60_000);
  }
});
