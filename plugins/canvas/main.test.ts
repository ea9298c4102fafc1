import assert from "node:assert/strict";
import { export_reasoning_canvas, import_canvas_edits, list_canvases } from "./main.ts";

Deno.test("an exported canvas has no edits until a user edits it", async () => {
  const steps = [
    { id: "q", kind: "question", text: "Which way?" },
    { id: "h", kind: "hypothesis", text: "North\n\n## is a heading", after: ["q"] },
  ];
  for (const format of ["canvas", "markdown"] as const) {
    const { path } = await export_reasoning_canvas({ title: `Way ${format}`, steps, format });
    assert.equal((await import_canvas_edits({ name: `way-${format}` })).edited, false);
    await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace("North", "South"));
    const { edited, changed } = await import_canvas_edits({ name: `way-${format}` });
    assert.deepEqual([edited, changed.map(({ id }) => id)], [true, ["h"]]);
  }
});

Deno.test("lists canvases", async () => {
  await export_reasoning_canvas({ title: "A list", steps: [{ id: "a", text: "a" }], overwrite: true });
  const { canvases } = await list_canvases({});
  assert.equal(canvases.find(({ name }) => name === "a-list")?.steps, 1);
});
