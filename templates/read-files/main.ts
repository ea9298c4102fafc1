/** Reads files of the workspace with Deno's functions. */

interface Hit {
  file: string;
  /** @integer @minimum 1 */
  line: number;
  text: string;
}

/**
 * Finds the lines that contain a text in the files of a folder.
 *
 * @sideEffects read
 * @requires read folder
 */
export async function my_plugin_find({
  folder,
  text,
  maximum = 100,
}: {
  /** A folder, relative to the workspace */
  folder: string;
  /** @minLength 1 */
  text: string;
  /** Maximum number of lines @integer @minimum 1 @maximum 1000 */
  maximum?: number;
}): Promise<{ hits: Hit[] }> {
  const hits: Hit[] = [];
  for await (const entry of Deno.readDir(folder)) {
    if (!entry.isFile) continue;
    const lines = (await Deno.readTextFile(`${folder}/${entry.name}`)).split("\n");
    for (const [index, line] of lines.entries()) {
      if (line.includes(text)) hits.push({ file: entry.name, line: index + 1, text: line });
      if (hits.length === maximum) return { hits };
    }
  }
  return { hits };
}
