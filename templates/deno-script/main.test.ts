import assert from "node:assert/strict";
import { my_plugin_largest } from "./main.ts";

Deno.test("lists the largest first", async () => {
  const { files } = await my_plugin_largest({ folder: import.meta.dirname ?? ".", count: 2 });
  const [first, second] = files;
  assert.ok(first !== undefined && second !== undefined && first.bytes >= second.bytes);
});
