import assert from "node:assert/strict";
import { memory_add, memory_consolidate, memory_replace } from "./main.ts";

Deno.test("a fact is remembered, corrected and forgotten", async () => {
  assert.equal((await memory_add({ text: "Tests run on Node", topic: "project" })).added, true);
  assert.equal((await memory_add({ text: "tests run on node!", topic: "Project" })).added, false);
  await memory_replace({ old: "on Node", text: "Tests run on Node and Deno", topic: "project" });
  assert.equal(await Deno.readTextFile("memory/project.md"), "# project\n\n- Tests run on Node and Deno\n");
  await memory_replace({ old: "deno", text: "", topic: "project" });
  assert.equal(await Deno.readTextFile("memory/project.md"), "# project\n\n");
});

Deno.test("a full topic takes no fact until memory_consolidate makes room", async () => {
  const context = { settings: { maxEntries: 2 } };
  await memory_add({ text: "One", topic: "few" }, context);
  await memory_add({ text: "One and two", topic: "few" }, context);
  await assert.rejects(memory_add({ text: "Three", topic: "few" }, context), {
    message: 'Topic "few" holds 2 facts already (memory_consolidate makes room)',
  });
  assert.deepEqual(await memory_consolidate({ topic: "few" }), { topics: [{ topic: "few", before: 2, after: 1, removed: ["One"] }] });
  assert.equal((await memory_add({ text: "Three", topic: "few" }, context)).entries, 2);
});
