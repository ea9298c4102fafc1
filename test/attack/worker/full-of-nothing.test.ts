import { expect, it } from "vitest";
import { HELD_KB } from "../../../sandbox/wire/protocol.ts";
import { INVOCATION } from "../../support/scripted-worker.ts";
import { hostileWorkers } from "../../support/hostile-worker.ts";

it("attack: a worker says that calls hold all its room and begins none, so that each is sent to it again and again [B10] [B5.worker]", async () => {
  const { sandbox, current, pass, finish, workers } = await hostileWorkers();
  const liar = current();
  liar.control.words[HELD_KB] = 2 ** 30;
  const outcome = sandbox.invoke(INVOCATION);
  await pass(12);
  expect(liar.ended).toBe(true);
  // It runs on a worker that says nothing of the kind.
  await expect
    .poll(async () => (await pass(1), workers.some(({ ended, requests }) => !ended && requests.some(({ type }) => type === "call"))))
    .toBe(true);
  finish('{"o":1}');
  expect(await outcome).toMatchObject({ ok: true, output: { o: 1 } });
});
