import { expect, it } from "vitest";
import { hostileWorkers } from "../../support/hostile-worker.ts";

it("attack: a worker changes bytes after the host has checked them [B5.bytes] [B5.worker]", async () => {
  const { begin } = await hostileWorkers();
  const seen: (Uint8Array | undefined)[] = [];
  const { outcome, worker, number, done } = begin({ hostCall: async ({ bytes }) => (seen.push(bytes), { ok: true, value: null }) });
  const operation = { type: "operation", number, operation: 1, name: "fs.writeFile", text: "{}" };
  worker.say({ ...operation, bytes: new Uint8Array(new SharedArrayBuffer(8)) });
  expect(seen).toEqual([]);
  worker.say({ ...operation, bytes: new Uint8Array(8) });
  expect(seen).toEqual([new Uint8Array(8)]);
  worker.say(done);
  expect(await outcome).toMatchObject({ ok: true });
});
