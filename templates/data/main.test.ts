import assert from "node:assert/strict";
import type { Context } from "./bascule.d.ts";
import { my_plugin_keep, my_plugin_memos } from "./main.ts";

/** Keeps the values of one test in memory. */
function memory(): Pick<Context, "data"> {
  const values = new Map<string, unknown>();
  const kv = {
    has: (key: string) => Promise.resolve(values.has(key)),
    set: (key: string, value: unknown) => Promise.resolve(values.set(key, value).size),
    list: () => Promise.resolve([...values].map(([key, value]) => ({ key, value, version: 1 }))),
  };
  return { data: { kv } } as unknown as Pick<Context, "data">;
}

Deno.test("replaces a memo of the same topic", async () => {
  const context = memory();
  assert.deepEqual(await my_plugin_keep({ topic: "a", text: "one" }, context), { replaced: false });
  assert.deepEqual(await my_plugin_keep({ topic: "a", text: "two" }, context), { replaced: true });
  assert.deepEqual(await my_plugin_memos({}, context), { memos: [{ topic: "a", text: "two" }] });
});
