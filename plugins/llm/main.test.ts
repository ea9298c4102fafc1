import assert from "node:assert/strict";
import { similarity } from "./embeddings.ts";
import { classify_text } from "./main.ts";

Deno.test("similarity is the cosine of the angle", () => {
  assert.equal(similarity([1, 0], [5, 0]), 1);
  assert.equal(similarity([1, 0], [0, 2]), 0);
  assert.equal(similarity([1, 1], [-2, -2]), -1);
  assert.equal(similarity([0, 0], [1, 1]), 0);
});

Deno.test("classify_text takes each label once", async () => {
  const settings = { baseUrl: "http://localhost", embeddingModel: "e", chatModel: "c" };
  // The tool reads nothing else of the context before it throws.
  const context = { settings, signal: new AbortController().signal } as Parameters<typeof classify_text>[1];
  const labels = [{ name: "a" }, { name: "A" }];
  await assert.rejects(classify_text({ text: "t", labels }, context), /Duplicate label/u);
});
