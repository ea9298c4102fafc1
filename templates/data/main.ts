/** Keeps data between calls, in a key-value store or a SQLite database of the plugin. Both belong to this project. */

import type { Context } from "./bascule.d.ts";

interface Memo {
  topic: string;
  text: string;
}

/**
 * Keeps a memo under a topic, in place of an earlier one.
 *
 * @sideEffects read, write
 */
export async function my_plugin_keep(
  {
    topic,
    text,
  }: {
    /** @minLength 1 @maxLength 100 */
    topic: string;
    /** @minLength 1 @maxLength 10000 */
    text: string;
  },
  { data }: Pick<Context, "data">,
): Promise<{ replaced: boolean }> {
  const replaced = await data.kv.has(topic);
  await data.kv.set(topic, text);
  return { replaced };
}

/**
 * Lists the memos whose topics begin with a text.
 *
 * @sideEffects read
 */
export async function my_plugin_memos(
  {
    beginning = "",
  }: {
    /** Beginning of the topics; all if absent */
    beginning?: string;
  },
  { data }: Pick<Context, "data">,
): Promise<{ memos: Memo[] }> {
  const entries = await data.kv.list<string>(beginning);
  return { memos: entries.map(({ key, value }) => ({ topic: key, text: value })) };
}
