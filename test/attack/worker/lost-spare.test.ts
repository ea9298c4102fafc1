import { expect, it } from "vitest";
import { INVOCATION } from "../../support/scripted-worker.ts";
import { hostileWorkers } from "../../support/hostile-worker.ts";

it("attack: both the shared worker and its spare crash, and only a reserved one is left [B10] [B4.worker]", async () => {
  const { sandbox, load, workers, pass, finish } = await hostileWorkers({ isIsolated: (name) => name === "bank" });
  await load("bank");
  await pass(1);
  for (const worker of workers)
    if (!worker.ended && !worker.requests.some((request) => request.type === "load" && request.digest === "bank"))
      worker.exit("it crashed");
  const outcome = sandbox.invoke(INVOCATION);
  await pass(5);
  finish('{"o":"on a new one"}');
  expect(await outcome).toMatchObject({ ok: true, output: { o: "on a new one" } });
});
