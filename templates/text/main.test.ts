import assert from "node:assert/strict";
import { my_plugin_count } from "./main.ts";

Deno.test("counts an empty text as nothing", () => {
  assert.deepEqual(my_plugin_count({ text: "" }), { words: 0, lines: 0, characters: 0 });
});

Deno.test("leaves out code", () => {
  assert.equal(my_plugin_count({ text: "one\n```\ntwo three\n```\n", ignoreCode: true }).words, 1);
});
