import assert from "node:assert/strict";
import { my_plugin_roll } from "./main.ts";

Deno.test("adds the numbers", () => {
  const { rolls, sum } = my_plugin_roll({ dice: 3, sides: 6 });
  assert.equal(rolls.length, 3);
  assert.equal(sum, rolls[0]! + rolls[1]! + rolls[2]!);
});
