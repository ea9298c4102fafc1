import { expect, it } from "vitest";
import { createSandbox } from "../../../sandbox/mod.ts";
import { EMPTY_IMAGE, INVOCATION, PLUGIN, scriptedWorkers } from "../../support/scripted-worker.ts";

it("sends requests to a worker with up to four calls at once, and to a busier one in batches [B10]", async () => {
  const { launcher, workers } = scriptedWorkers();
  const turn: (() => void)[] = [];
  const sandbox = createSandbox(
    { ...launcher, later: queueMicrotask, soon: (task) => void turn.push(task) },
    { maximumWorkers: 1, engine: "plain" },
  );
  const loading = sandbox.load(PLUGIN);
  await expect.poll(() => workers[0]?.requests.at(-1)?.type).toBe("load");
  workers[0]?.say({ type: "loaded", number: 1, image: EMPTY_IMAGE });
  await loading;

  const sent = (): number => workers[0]?.requests.filter(({ type }) => type === "call").length ?? 0;
  const found: number[] = [];
  const answers: Promise<unknown>[] = [];
  for (let call = 0; call < 7; call++) {
    answers.push(sandbox.invoke(INVOCATION));
    await Promise.resolve();
    found.push(sent());
  }
  for (const task of turn.splice(0)) task();
  expect([...found, sent()]).toEqual([1, 2, 3, 4, 4, 4, 4, 7]);
  await sandbox.close();
  await Promise.all(answers);
});
