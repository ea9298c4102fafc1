import { expect, it } from "vitest";
import type { LoadOutcome } from "../../../sandbox/mod.ts";
import { claim } from "../../../sandbox/wire/protocol.ts";
import { EMPTY_IMAGE, PLUGIN, type ScriptedWorker } from "../../support/scripted-worker.ts";
import { type HostileWorkers, hostileWorkers } from "../../support/hostile-worker.ts";

it("attack: a worker takes a plugin to load and never reports the result [B4.worker] [B5.worker]", async () => {
  const host = await hostileWorkers();
  const { loading, worker } = await hoard(host);
  await host.pass(25);
  expect(worker.ended).toBe(true);
  const again = host.workers.find(({ ended, requests }) => !ended && requests.some(({ type }) => type === "load"));
  answer(again);
  expect(await loading).toMatchObject({ ok: true });
});

it("accepts a slow load while the host itself only runs ten times a second, as on a loaded machine [B10.starved]", async () => {
  const host = await hostileWorkers();
  const { loading, worker } = await hoard(host);
  await host.starve(100, 1_000);
  expect(worker.ended).toBe(false);
  answer(worker);
  expect(await loading).toMatchObject({ ok: true });
  expect(host.defects).toEqual([]);
});

it("attack: the worker hangs on a loaded machine [B4.worker] [B10.starved]", async () => {
  const host = await hostileWorkers();
  const { worker } = await hoard(host);
  await host.starve(250, 2_500);
  expect(worker.ended).toBe(true);
});

/** Gives the plugin "q" to a worker that takes it. */
async function hoard({
  sandbox,
  current,
}: HostileWorkers): Promise<{ readonly loading: Promise<LoadOutcome>; readonly worker: ScriptedWorker }> {
  const loading = sandbox.load({ ...PLUGIN, name: "q", digest: "q" });
  await expect.poll(() => current().requests.at(-1), { timeout: 15_000 }).toMatchObject({ type: "load", digest: "q" });
  const worker = current();
  const request = worker.requests.at(-1);
  if (request?.type === "load") claim(worker.control, request.ticket);
  return { loading, worker };
}

function answer(worker: ScriptedWorker | undefined): void {
  const request = worker?.requests.findLast(({ type }) => type === "load");
  worker?.say({ type: "loaded", number: request?.type === "load" ? request.number : 0, image: EMPTY_IMAGE });
}
