import assert from "node:assert/strict";
import { my_plugin_longest } from "./main.ts";

Deno.test("returns the longest line", async () => {
  const tools = { call: () => Promise.resolve({ content: "a\nlong\nbc\n" }) as Promise<never> };
  assert.deepEqual(await my_plugin_longest({ path: "x" }, { tools }), { line: "long" });
});
