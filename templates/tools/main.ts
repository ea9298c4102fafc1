/** Calls another tool. Policy and grants decide about that call as about any other. */

import type { Context } from "./bascule.d.ts";

/**
 * Returns the longest line of a file, which the tool read_file reads.
 *
 * @sideEffects read
 */
export async function my_plugin_longest(
  {
    path,
  }: {
    /** A text file, relative to the workspace */
    path: string;
  },
  { tools }: Pick<Context, "tools">,
): Promise<{ line: string }> {
  const read = await tools.call<{ content: string }>("read_file", { path });
  const [line = ""] = read.content.split("\n").toSorted((left, right) => right.length - left.length);
  return { line };
}
