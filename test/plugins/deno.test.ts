import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.ts";
import { REPOSITORY } from "../support/source-files.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bascule-deno-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("the shipped plugins", () => {
  it("pass Deno's type check and run under deno run, unchanged [M8.deno]", { timeout: 60_000 }, async () => {
    await writeFile(
      join(folder, "try.ts"),
      `import { word_count, grep } from "${REPOSITORY}plugins/words/main.ts";
import { note_add, note_append, note_list } from "${REPOSITORY}plugins/notes/main.ts";
await note_add({ title: "Groceries", text: "- bread" });
await note_append({ name: "groceries", text: "- salt" });
console.log(JSON.stringify([await note_list({}), await word_count({ path: "notes/groceries.md" }), await grep({ pattern: "salt", path: "notes" })]));
`,
    );
    const { code, output } = await runCommand(
      "deno",
      ["run", "--check", "--no-config", "--allow-read=.", "--allow-write=notes", "--quiet", "try.ts"],
      { cwd: folder, timeoutMs: 50_000 },
    );
    expect({ code, answers: JSON.parse(output.trim().split("\n").at(-1) ?? "null") as unknown }).toEqual({
      code: 0,
      answers: [
        { notes: [{ name: "groceries", title: "Groceries", characters: 29 }] },
        { lines: 5, words: 6, characters: 29, bytes: 29 },
        {
          matches: [{ file: "notes/groceries.md", line: 5, column: 3, text: "- salt" }],
          filesSearched: 1,
          filesSkipped: 0,
          complete: true,
        },
      ],
    });
  });
});
