/** How the journal lies on the disk: which files there are, and the rows that link them. */

import type { Files } from "../platform/platform.ts";

/** The last row of a file that is full. */
export const CLOSING_TEXT = '{"type":"journal.continued"}';

/** Names of the journal's files, the oldest first. */
export async function journalFiles(files: Pick<Files, "list">, folder: string): Promise<readonly string[]> {
  const entries = await files.list(folder);
  return entries
    .filter(({ name, kind }) => kind === "file" && /^\d{12}\.db$/.test(name))
    .map(({ name }) => name)
    .toSorted();
}

/** Where the file that begins with row `number` is. */
export function fileOf(folder: string, number: number): string {
  return `${folder}/${String(number).padStart(12, "0")}.db`;
}
