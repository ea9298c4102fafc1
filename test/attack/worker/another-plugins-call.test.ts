import { expect, it } from "vitest";
import { doneOf, hostileWorkers, turn } from "../../support/hostile-worker.ts";

it("attack: a worker sends messages for a call on another worker [B5.identity] [B5.worker]", async () => {
  const { begin, load } = await hostileWorkers({ isIsolated: (name) => name === "bank" });
  await load("bank");
  const acts: string[] = [];
  const lines: string[] = [];
  const victim = begin({
    digest: "bank",
    hostCall: async ({ name }) => (acts.push(name), { ok: true, value: null }),
    onLogs: (part) => part.forEach(([, text]) => lines.push(text)),
  });
  const hostile = begin({ hostCall: async () => ({ ok: false, error: { name: "NotCapable", message: "Nothing is granted here" } }) });
  expect(hostile.worker).not.toBe(victim.worker);
  hostile.worker.say({ type: "operation", number: victim.number, operation: 1, name: "fs.writeFile", text: "{}" });
  hostile.worker.say({ type: "logs", number: victim.number, lines: [["info", "forged"]] });
  hostile.worker.say(doneOf(victim.number, '{"o":"forged"}'));
  hostile.worker.say({ type: "failed", number: victim.number, fault: { kind: "cancelled" }, used: hostile.done["used"], lines: [] });
  await turn();
  expect([acts, lines]).toEqual([[], []]);
  victim.worker.say(victim.done);
  expect(await victim.outcome).toMatchObject({ ok: true, output: { o: 1 } });
  hostile.worker.say(hostile.done);
  expect(await hostile.outcome).toMatchObject({ ok: true, output: { o: 1 } });
});

it("attack: a worker continues to act for a call that has ended [B5.identity] [B5.worker]", async () => {
  const { begin } = await hostileWorkers();
  let acts = 0;
  const { worker, number, outcome, done } = begin({ hostCall: async () => ({ ok: true, value: ++acts }) });
  worker.say(done);
  worker.say({ type: "operation", number, operation: 1, name: "fs.writeFile", text: "{}" });
  worker.say(doneOf(number, '{"o":"again"}'));
  expect(await outcome).toMatchObject({ ok: true, output: { o: 1 } });
  expect(acts).toBe(0);
});
