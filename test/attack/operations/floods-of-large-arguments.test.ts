/** Plugins send operations with large arguments by the dozen: the host reads one in a turn of its event loop, and plugins take turns. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { type Answering, answerOperation, type AskingCall, createOperationRoom } from "../../../sandbox/call/answer-operation.ts";
import { LARGE_BYTES } from "../../../sandbox/marshal.ts";
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
export const reads = () => Deno.readTextFile("x").catch(({ name }) => name);
`;

describe("attack: operations with large arguments", () => {
  it("are read one in a turn of the event loop, a plugin's after another's, and small ones at once [LV2.arguments] [LV3.arguments]", async () => {
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

  for (const [kind, options] of SANDBOXES) {
    it(`keep nobody else waiting, on the ${kind} [LV1.arguments]`, async () => {
      await using box = startSandbox(options);
      for (const name of ["evil", "other"]) expect(await box.load(name, MAIN)).toMatchObject({ ok: true });
      const flood = box.call("evil", "attacks", { args: { count: 20 } });
      for (let count = 0; count < 5; count++) expect(outputOf(await box.call("other", "reads"))).toBe("NotCapable");
      expect(outputOf(await flood)).toBe(20);
      expect(box.defects).toEqual([]);
    }, 60_000);
  }
});
