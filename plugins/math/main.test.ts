import assert from "node:assert/strict";
import { calculate, statistics } from "./main.ts";

Deno.test("calculate", async (t) => {
  await t.step("keeps the usual order of operations", async () => {
    assert.equal((await calculate({ expression: "2 + 3 * 4 ^ 2" })).result, 50);
  });
  await t.step("knows variables", async () => {
    assert.equal((await calculate({ expression: "a * b", variables: { a: 6, b: 7 } })).result, 42);
  });
  await t.step("points at the error", async () => {
    await assert.rejects(calculate({ expression: "2 +" }), Error);
  });
});

Deno.test("statistics describes a list", async () => {
  const { count, mean } = await statistics({ values: [1, 2, 3, 4] });
  assert.deepEqual([count, mean], [4, 2.5]);
});
