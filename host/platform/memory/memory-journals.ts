/** Journal files in memory. They last as long as the platform, and appear among its files. */

import { JournalError, type JournalFile, type JournalRow, type Journals } from "../files/journal-types.ts";
import { createJournals } from "../files/journals.ts";

/** Creates the journals. @param onCreate creates an empty file at the journal's path; the rows are kept here */
export function createMemoryJournals(onCreate: (path: string) => void): Journals {
  const files = new Map<string, JournalRow[]>();
  return {
    ...createJournals(),
    open(path, mode) {
      const rows = files.get(path) ?? [];
      if (mode === "read" && !files.has(path)) throw new JournalError("unable to open database file", false);
      if (!files.has(path)) onCreate(path);
      files.set(path, rows);
      return createFile(rows);
    },
  };
}

function createFile(rows: JournalRow[]): JournalFile {
  return {
    append(make, keep = Number.POSITIVE_INFINITY) {
      rows.push(...make(rows.at(-1)));
      rows.splice(0, Math.max(0, rows.length - keep));
    },
    last: () => rows.at(-1),
    rows: (after, limit) => rows.filter(({ number }) => number > after).slice(0, limit),
    rowsBefore: (before, limit) =>
      rows
        .filter(({ number }) => number < before)
        .toReversed()
        .slice(0, limit),
    highest: () => rows.at(-1)?.number ?? 0,
    damage: () => undefined,
    close: () => {},
  };
}
