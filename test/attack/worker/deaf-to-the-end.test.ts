import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { hostileWorkers } from "../../support/hostile-worker.ts";

const limits = { ...DEFAULT_LIMITS, wallMs: 1_000 };

it("attack: a worker takes calls and answers none, so that each uses its full time limit [B10] [B5.worker]", async () => {
  const { begin, pass } = await hostileWorkers();
  const { outcome, worker } = begin({ limits });
  await pass(4);
  expect(await outcome).toMatchObject({ ok: false, fault: { kind: "timeout", limit: "wall", limitMs: 1_000 } });
  expect(worker.requests.at(-1)).toMatchObject({ type: "end" });
  const next = begin();
  await pass(12);
  expect(worker.ended).toBe(true);
  expect(next.worker).toBe(worker);
});

it("accepts a worker that finally reports that it has ended the call [B10]", async () => {
  const { begin, pass } = await hostileWorkers();
  const { outcome, worker, done } = begin({ limits });
  await pass(4);
  expect(await outcome).toMatchObject({ ok: false, fault: { kind: "timeout" } });
  worker.say(done);
  const next = begin();
  await pass(12);
  expect(worker.ended).toBe(false);
  worker.say(next.done);
  expect(await next.outcome).toMatchObject({ ok: true });
});

it("accepts a worker that cannot report in time while the host is starved too [B10.starved]", async () => {
  const { begin, starve } = await hostileWorkers();
  const { outcome, worker, done } = begin({ limits });
  const other = begin({ limits: { ...limits, wallMs: 1_000_000 } });
  await starve(100, 1_000);
  expect(await outcome).toMatchObject({ ok: false, fault: { kind: "timeout" } });
  expect(worker.ended).toBe(false);
  worker.say(done);
  expect(other.worker).toBe(worker);
  worker.say(other.done);
  expect(await other.outcome).toMatchObject({ ok: true });
});
