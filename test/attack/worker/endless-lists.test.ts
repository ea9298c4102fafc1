import { expect, it } from "vitest";
import { holes } from "../../support/holes.ts";
import { NOTHING_USED } from "../../support/scripted-worker.ts";
import { hostileWorkers } from "../../support/hostile-worker.ts";

/** Arrives through a port: a list of four thousand million holes takes no memory. */
const HOLES: unknown = structuredClone(holes(2 ** 32 - 1));

it("attack: a worker sends lists that would take the host forever to read [B1.host] [B5.worker]", async () => {
  const { begin } = await hostileWorkers();
  const { outcome, worker, number, done } = begin();
  const failed = { type: "failed", number, used: NOTHING_USED, lines: [] };
  for (const message of [
    { ...done, lines: HOLES },
    { type: "logs", number, lines: HOLES },
    { ...failed, fault: { kind: "unfinished", operations: HOLES } },
    { ...failed, fault: { kind: "no_export", module: "m", export: "e", available: HOLES } },
    { ...done, lines: structuredClone(holes(2)) },
  ])
    worker.say(message);
  worker.say(done);
  expect(await outcome).toMatchObject({ ok: true, output: { o: 1 } });
});
