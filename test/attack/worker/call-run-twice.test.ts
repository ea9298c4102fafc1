import { expect, it } from "vitest";
import { CURRENT, END_BY, ENTERED_AT, offer } from "../../../sandbox/wire/protocol.ts";
import { INVOCATION } from "../../support/scripted-worker.ts";
import { hostileWorkers } from "../../support/hostile-worker.ts";

it("attack: a worker revokes the start of a call, to repeat its effects [B10.effects] [B5.worker]", async () => {
  const { begin, sandbox, pass, advance } = await hostileWorkers();
  let acts = 0;
  const { outcome, worker, number } = begin({ hostCall: async () => ({ ok: true, value: ++acts }) });
  worker.say({ type: "operation", number, operation: 1, name: "fs.writeFile", text: "{}" });
  const call = worker.requests.findLast(({ type }) => type === "call");
  const other = sandbox.invoke(INVOCATION);
  // A guest that holds its thread: calls that have not started there are taken back.
  worker.control.words[CURRENT] = number;
  worker.control.times[ENTERED_AT] = -1_000;
  worker.control.times[END_BY] = 1e9;
  if (call?.type === "call") offer(worker.control, call.ticket);
  advance(10);
  worker.exit("it crashed");
  expect(await outcome).toMatchObject({ ok: false, fault: { kind: "lost" } });
  expect(acts).toBe(1);
  await pass(1);
  void other;
});
