import { expect, it } from "vitest";
import { HELD_KB } from "../../../sandbox/wire/protocol.ts";
import { INVOCATION } from "../../support/scripted-worker.ts";
import { hostileWorkers } from "../../support/hostile-worker.ts";

it("attack: a worker claims to be full and starts no call, so that each is sent to it repeatedly [B10] [B5.worker]", async () => {
  const { sandbox, current, pass, finish, workers } = await hostileWorkers();
  const liar = current();
  liar.control.words[HELD_KB] = 2 ** 30;
  const outcome = sandbox.invoke(INVOCATION);
  await pass(12);
  expect(liar.ended).toBe(true);
  // The call runs on a worker that does not claim this.
  await expect
    .poll(async () => (await pass(1), workers.some(({ ended, requests }) => !ended && requests.some(({ type }) => type === "call"))))
    .toBe(true);
  finish('{"o":1}');
  expect(await outcome).toMatchObject({ ok: true, output: { o: 1 } });
});
