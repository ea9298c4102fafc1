/** Journal files in SQLite, which both runtimes bring along: crash-safe, and several processes may add to one. */

import { hash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { JournalError, type JournalFile, type JournalRow, type Journals } from "./journal-types.ts";

/** A host's event loop waits so long at most for another process's transaction. */
const BUSY_MS = 25;

/** AUTOINCREMENT keeps the highest number ever given, so that rows cut off at the end are missed. */
const TABLE = "CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY AUTOINCREMENT, seal TEXT NOT NULL, text TEXT NOT NULL) STRICT";

export function createJournals(): Journals {
  return { open, seal: sealOf };
}

/** What seals a row to all before it. */
export function sealOf(previous: string, number: number, text: string): string {
  return hash("sha256", `${previous}\n${number}\n${text}`);
}

function open(path: string, mode: "append" | "read"): JournalFile {
  return guarded(() => {
    // SQLite gives the files beside it the same mode.
    if (mode === "append") closeSync(openSync(path, "a", 0o600));
    const database = new DatabaseSync(path, { readOnly: mode === "read", timeout: BUSY_MS });
    // With a write-ahead log readers wait for nobody, and what is committed survives the end of the process.
    if (mode === "append") database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${TABLE}`);
    return createFile(database);
  });
}

function createFile(database: DatabaseSync): JournalFile {
  const insert = database.prepare("INSERT INTO rows (number, seal, text) VALUES (?, ?, ?)");
  const newest = database.prepare("SELECT number, seal, text FROM rows ORDER BY number DESC LIMIT 1");
  const page = database.prepare("SELECT number, seal, text FROM rows WHERE number > ? ORDER BY number LIMIT ?");
  const pageBack = database.prepare("SELECT number, seal, text FROM rows WHERE number < ? ORDER BY number DESC LIMIT ?");
  const given = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'rows'");
  const last = (): JournalRow | undefined => toRow(newest.get());

  return {
    append(make) {
      guarded(() => {
        database.exec("BEGIN IMMEDIATE");
        try {
          for (const { number, seal, text } of make(last())) insert.run(number, seal, text);
          database.exec("COMMIT");
        } catch (error) {
          database.exec("ROLLBACK");
          throw error;
        }
      });
    },
    last: () => guarded(last),
    rows: (after, limit) => guarded(() => page.all(after, limit).flatMap((row) => toRow(row) ?? [])),
    rowsBefore: (before, limit) => guarded(() => pageBack.all(before, limit).flatMap((row) => toRow(row) ?? [])),
    highest: () => guarded(() => Number(given.get()?.["seq"] ?? 0)),
    damage() {
      const found = guarded(() => database.prepare("PRAGMA integrity_check(1)").get())?.["integrity_check"];
      return found === "ok" ? undefined : String(found);
    },
    close: () => database.close(),
  };
}

function toRow(row: Readonly<Record<string, unknown>> | undefined): JournalRow | undefined {
  return row && { number: Number(row["number"]), seal: String(row["seal"]), text: String(row["text"]) };
}

/** SQLITE_BUSY and SQLITE_LOCKED, with their extended codes. */
function isBusy(error: object): boolean {
  const code = "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : 0;
  return code === 5 || code === 6;
}

function guarded<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error && ("errcode" in error || "code" in error)) throw new JournalError(error.message, isBusy(error));
    throw error;
  }
}
