import assert from "node:assert/strict";
import { my_plugin_find } from "./main.ts";

Deno.test("finds lines in the plugin's own files", async () => {
  const { hits } = await my_plugin_find({ folder: import.meta.dirname ?? ".", text: "my_plugin_find", maximum: 1 });
  assert.equal(hits.length, 1);
});

Deno.test("fails for a folder that is not there", async () => {
  await assert.rejects(my_plugin_find({ folder: "nowhere", text: "x" }), Deno.errors.NotFound);
});
