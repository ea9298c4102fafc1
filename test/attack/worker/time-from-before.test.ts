import { expect, it } from "vitest";
import type { HostAnswer } from "../../../sandbox/mod.ts";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { hostileWorkers, turn } from "../../support/hostile-worker.ts";

it("attack: a call requests a confirmation at once, to gain the idle hour before it as wall time [B3.wall] [B5.worker]", async () => {
  const { begin, pass, starve } = await hostileWorkers();
  await pass(1);
  await starve(3_600, 1);
  const answer = Promise.withResolvers<HostAnswer>();
  const { outcome, worker, number } = begin({ limits: { ...DEFAULT_LIMITS, wallMs: 5_000 }, hostCall: () => answer.promise });
  worker.say({ type: "operation", number, operation: 1, name: "permissions.request", text: "{}" });
  // The time really spent waiting for the confirmation does not count.
  await pass(10);
  answer.resolve({ ok: true, value: null });
  await turn();
  await pass(6);
  expect(worker.requests.at(-1)).toMatchObject({ type: "end", number });
  expect(await outcome).toMatchObject({ ok: false, fault: { kind: "timeout", limit: "wall", limitMs: 5_000 }, used: { wallMs: 5_035 } });
});
