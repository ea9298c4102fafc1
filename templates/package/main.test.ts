import assert from "node:assert/strict";
import { my_plugin_rows } from "./main.ts";

Deno.test("guesses the delimiter", () => {
  assert.deepEqual(my_plugin_rows({ csv: "a;b\n1;2" }), { rows: [{ a: "1", b: "2" }] });
});
