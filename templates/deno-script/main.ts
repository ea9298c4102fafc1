/**
 * Ports a Deno script. The script was:
 *
 *     const [folder = ".", count = "10"] = Deno.args;
 *     console.table(await largest(folder, Number(count)));
 *
 * `Deno.args` become arguments with types, `console.table` becomes the result, and `--allow-read` becomes a permission in the manifest.
 * The rest of the code stays.
 */

interface FileSize {
  path: string;
  /** @integer */
  bytes: number;
}

/**
 * Lists the largest files below a folder.
 *
 * @sideEffects read
 * @requires read folder
 */
export async function my_plugin_largest({
  folder,
  count = 10,
}: {
  /** A folder, relative to the workspace */
  folder: string;
  /** @integer @minimum 1 @maximum 100 */
  count?: number;
}): Promise<{ files: FileSize[] }> {
  return { files: await largest(folder, count) };
}

async function largest(folder: string, count: number): Promise<FileSize[]> {
  const files: FileSize[] = [];
  for await (const { path, bytes } of walk(folder)) files.push({ path: path.slice(folder.length + 1), bytes });
  return files.toSorted((left, right) => right.bytes - left.bytes || (left.path < right.path ? -1 : 1)).slice(0, count);
}

async function* walk(folder: string): AsyncGenerator<FileSize> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* walk(path);
    else if (entry.isFile) yield { path, bytes: (await Deno.stat(path)).size };
  }
}
