import assert from "node:assert/strict";
import { grep, word_count } from "./main.ts";

/** The plugin's own folder, independent of the working directory. */
const file = `${import.meta.dirname ?? ""}/testdata/poem.txt`;

Deno.test("word_count counts as wc does", async () => {
  assert.deepEqual(await word_count({ path: file }), { lines: 3, words: 7, characters: 34, bytes: 35 });
});

Deno.test("grep finds lines by text and by pattern", async (t) => {
  const found = async (pattern: string, regex: boolean): Promise<readonly number[]> =>
    (await grep({ pattern, path: file, regex })).matches.map(({ line }) => line);
  await t.step("by text", async () => assert.deepEqual(await found("two", false), [1]));
  await t.step("by pattern", async () => assert.deepEqual(await found("^[tf]", true), [2, 3]));
});
