import assert from "node:assert/strict";
import { my_plugin_primes } from "./main.ts";

Deno.test("reports progress", async () => {
  const reports: unknown[] = [];
  const context = { progress: (value: unknown) => void reports.push(value), signal: new AbortController().signal };
  assert.deepEqual(await my_plugin_primes({ below: 2_500 }, context), { primes: 367 });
  assert.deepEqual(reports, [
    { done: 1_000, total: 2_500 },
    { done: 2_000, total: 2_500 },
  ]);
});

Deno.test("ends when it is cancelled", async () => {
  const context = { progress: () => {}, signal: AbortSignal.abort(new Error("cancelled")) };
  await assert.rejects(my_plugin_primes({ below: 2_500 }, context), /cancelled/);
});
