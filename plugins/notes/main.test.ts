import assert from "node:assert/strict";
import { note_add, note_append, note_list } from "./main.ts";

Deno.test("a note is written, added to and listed", async () => {
  await note_add({ title: "Groceries", text: "- bread" });
  await note_append({ name: "groceries", text: "- salt" });
  assert.deepEqual(await note_list({}), { notes: [{ name: "groceries", title: "Groceries", characters: 29 }] });
  assert.equal(await Deno.readTextFile("notes/groceries.md"), "# Groceries\n\n- bread\n\n- salt\n");
});

Deno.test("note_add does not overwrite a note", async () => {
  await note_add({ title: "Once", text: "first" });
  await assert.rejects(note_add({ title: "Once", text: "second" }), {
    message: 'Note "once" already exists (use note_append to add to it)',
  });
});
