import assert from "node:assert/strict";
import { my_plugin_append } from "./main.ts";

const log = { debug() {}, info() {}, warn() {}, error() {}, write() {} };

Deno.test("appends one entry after the other", async () => {
  await my_plugin_append({ path: "diary.md", entry: "first" }, { log });
  assert.deepEqual(await my_plugin_append({ path: "diary.md", entry: "second" }, { log }), { entries: 2 });
  assert.equal(await Deno.readTextFile("diary.md"), "- first\n- second\n");
  await Deno.remove("diary.md");
});
