import assert from "node:assert/strict";
import { my_plugin_greet } from "./main.ts";

Deno.test("follows the settings", () => {
  assert.deepEqual(my_plugin_greet({ name: "Ada" }, { settings: { greeting: "Salve", loud: true } }), { text: "SALVE ADA" });
});
