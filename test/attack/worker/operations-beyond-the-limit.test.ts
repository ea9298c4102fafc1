import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { hostileWorkers, turn } from "../../support/hostile-worker.ts";

it("attack: a worker that does not count requests more operations than its call may run [B3.operations] [B5.worker]", async () => {
  const { begin } = await hostileWorkers();
  let acts = 0;
  const limits = { ...DEFAULT_LIMITS, operations: 10, pendingOperations: 2 };
  const { outcome, worker, number, done } = begin({ limits, hostCall: async () => ({ ok: true, value: ++acts }) });
  for (let operation = 1; operation <= 100; operation++) {
    worker.say({ type: "operation", number, operation, name: "fs.writeFile", text: "{}" });
    await turn();
  }
  worker.say(done);
  expect(acts).toBe(10);
  expect(await outcome).toMatchObject({ ok: true });
});

it("attack: a worker that does not wait requests more concurrent operations than its call may run [B3.pendingOperations] [B5.worker]", async () => {
  const { begin } = await hostileWorkers();
  let acts = 0;
  const limits = { ...DEFAULT_LIMITS, pendingOperations: 2 };
  const { worker, number, done } = begin({ limits, hostCall: () => (acts++, new Promise(() => {})) });
  for (let operation = 1; operation <= 100; operation++)
    worker.say({ type: "operation", number, operation, name: "fs.writeFile", text: "{}" });
  // Besides asynchronous operations, one synchronous operation may block the guest.
  expect(acts).toBe(3);
  worker.say(done);
});
