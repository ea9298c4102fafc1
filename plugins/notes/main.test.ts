import assert from "node:assert/strict";
import { note_add, note_append, note_list } from "./main.ts";

Deno.test("a note is written, added to and listed", async () => {
  await note_add({ title: "Groceries", text: "- bread" });
  await note_append({ name: "groceries", text: "- salt" });
  assert.deepEqual(await note_list({}), { notes: [{ name: "groceries", title: "Groceries", characters: 29 }] });
  assert.equal(await Deno.readTextFile("notes/groceries.md"), "# Groceries\n\n- bread\n\n- salt\n");
});

Deno.test("no note is written over another", async () => {
  await note_add({ title: "Once", text: "first" });
  await assert.rejects(note_add({ title: "Once", text: "second" }), {
    message: 'There is a note "once" already (use note_append to add to it)',
  });
});
