/** Writes files, with a confirmation. The user confirms each call, sees the change in a dry run, and can undo it. */

import type { Context } from "./bascule.d.ts";

/**
 * Appends an entry to a diary, and creates the file if it is missing.
 *
 * @sideEffects read, write
 * @requires write path
 */
export async function my_plugin_append(
  {
    path,
    entry,
  }: {
    /** A text file, relative to the workspace */
    path: string;
    /** @minLength 1 */
    entry: string;
  },
  { log }: Pick<Context, "log">,
): Promise<{ entries: number }> {
  const before = await textOf(path);
  const after = `${before}- ${entry.replaceAll(/\s+/gu, " ")}\n`;
  await Deno.writeTextFile(path, after);
  log.info(`wrote ${path}`);
  return { entries: after.split("\n").length - 1 };
}

async function textOf(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
