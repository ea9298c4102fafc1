/** Selects the files to search. */

const MAX_FILES = 2_000;
const MAX_FILE_BYTES = 2 * 1024 * 1024;

/** The files to search, sorted by name. `complete` is false if there were more than the maximum. */
export interface FileList {
  paths: string[];
  skipped: number;
  complete: boolean;
}

/** The file itself, or all files below a folder. Hidden entries, `node_modules` and links are left out. */
export async function filesBelow(path: string): Promise<FileList> {
  const list: FileList = { paths: [], skipped: 0, complete: true };
  const info = await Deno.stat(path);
  if (info.isDirectory) await walk(path, list);
  else take(path, info.size, list);
  return list;
}

/** Shortens a path to how a user in the working directory would write it. */
export function nameFromHere(path: string): string {
  const base = `${Deno.cwd()}/`;
  return path.startsWith(base) ? path.slice(base.length) : path.replace(/^\.\//u, "");
}

async function walk(folder: string, list: FileList): Promise<void> {
  const entries: Deno.DirEntry[] = [];
  for await (const entry of Deno.readDir(folder)) entries.push(entry);
  entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of entries) {
    if (!list.complete) return;
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = `${folder.replace(/\/$/u, "")}/${entry.name}`;
    if (entry.isDirectory) await walk(path, list);
    else if (entry.isFile) take(path, (await Deno.stat(path)).size, list);
  }
}

function take(path: string, size: number, list: FileList): void {
  if (size > MAX_FILE_BYTES) list.skipped += 1;
  else if (list.paths.length >= MAX_FILES) list.complete = false;
  else list.paths.push(path);
}
