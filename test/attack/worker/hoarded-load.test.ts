import { expect, it } from "vitest";
import { claim } from "../../../sandbox/worker/protocol.ts";
import { EMPTY_IMAGE, PLUGIN } from "../../support/scripted-worker.ts";
import { hostileWorkers } from "../../support/hostile-worker.ts";

it("attack: a worker takes up a plugin to load and never says how it went [B4.worker] [B5.worker]", async () => {
  const { sandbox, current, pass, workers } = await hostileWorkers();
  const loading = sandbox.load({ ...PLUGIN, name: "q", digest: "q" });
  await expect.poll(() => current().requests.at(-1), { timeout: 15_000 }).toMatchObject({ type: "load", digest: "q" });
  const first = current();
  const request = first.requests.at(-1);
  if (request?.type === "load") claim(first.control, request.ticket);
  await pass(25);
  expect(first.ended).toBe(true);
  const again = workers.find(({ ended, requests }) => !ended && requests.some(({ type }) => type === "load"));
  const second = again?.requests.findLast(({ type }) => type === "load");
  again?.say({ type: "loaded", number: second?.type === "load" ? second.number : 0, image: EMPTY_IMAGE });
  expect(await loading).toMatchObject({ ok: true });
});
