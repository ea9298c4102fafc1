import assert from "node:assert/strict";
import { promptFor, readAnswer } from "./main.ts";

Deno.test("keeps the text apart from the instruction", () => {
  assert.equal(promptFor("Some text", 2)[1]?.content, "Some text");
});

Deno.test("reads the model's message", () => {
  assert.equal(readAnswer({ choices: [{ message: { content: " Short. " } }] }), "Short.");
  assert.throws(() => readAnswer({}), /no message/);
});
