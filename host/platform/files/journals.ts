/** Journal files in SQLite, which both runtimes include: crash-safe, and several processes may append to one. */

import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, sign, verify } from "node:crypto";
import { closeSync, existsSync, linkSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { errorText } from "../error-text.ts";
import { errnoOf } from "./file-errors.ts";
import { JournalError, type JournalFile, type JournalKey, type JournalRow, type Journals } from "./journal-types.ts";
import { isLeftover, NO_LINKS, temporaryFor } from "./write-atomic.ts";

/** Maximum time that a host's event loop waits for another process's transaction. */
const BUSY_MS = 25;

/** AUTOINCREMENT keeps the highest number ever given, so that truncation at the end is detected. */
const TABLE = "CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY AUTOINCREMENT, seal TEXT NOT NULL, text TEXT NOT NULL) STRICT";

/** Write-ahead log: readers never wait for a writer, and committed rows survive the end of the process. */
const WAL = "PRAGMA journal_mode = WAL";

/** Columns of a row. A damaged length may claim the whole file, so values too long for a row are not read. */
const COLUMNS = "number, iif(octet_length(seal) <= 64, seal, '') AS seal, iif(octet_length(text) <= 1048576, text, '') AS text";

/** Creates the journals. @param maximumPages size limit of a file in pages, which simulates a full disk in tests */
export function createJournals({ maximumPages }: { readonly maximumPages?: number } = {}): Journals {
  return {
    open: (path, mode) => open(path, mode, maximumPages),
    seal: sealOf,
    newKey,
    sign: (key, text) => sign(null, Buffer.from(text), privateKeyOf(key)).toString("hex"),
    isSigned,
  };
}

/** Returns the seal that binds a row to all earlier ones. */
function sealOf(previous: string, number: number, text: string): string {
  return hash("sha256", `${previous}\n${number}\n${text}`);
}

function newKey(): JournalKey {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privateKey: privateKey.export({ format: "der", type: "pkcs8" }).toString("hex"),
    publicKey: publicKey.export({ format: "der", type: "spki" }).toString("hex"),
  };
}

function privateKeyOf({ privateKey }: JournalKey): ReturnType<typeof createPrivateKey> {
  return createPrivateKey({ key: Buffer.from(privateKey, "hex"), format: "der", type: "pkcs8" });
}

function isSigned(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, "hex"), format: "der", type: "spki" });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, "hex"));
  } catch {
    // A malformed key has signed nothing.
    return false;
  }
}

function open(path: string, mode: "append" | "read", maximumPages: number | undefined): JournalFile {
  return guarded(() => {
    if (mode === "append" && !existsSync(path)) create(path);
    const database = new DatabaseSync(path, { readOnly: mode === "read", timeout: BUSY_MS, defensive: mode !== "read" });
    try {
      if (mode === "append") database.exec(`${WAL}; PRAGMA synchronous = NORMAL; ${TABLE}`);
      // SQLite refuses a file that is shorter than its header claims; this flag makes it read the remaining pages.
      else database.exec("PRAGMA writable_schema = ON");
      if (maximumPages !== undefined) database.exec(`PRAGMA max_page_count = ${maximumPages}`);
      return createFile(database, path);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Creates the file atomically: a reader at that moment would take a file without a table for a damaged one. */
function create(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) if (isLeftover(name)) rmSync(join(folder, name), { force: true });
  const temporary = temporaryFor(path);
  try {
    // SQLite gives its companion files the same mode.
    closeSync(openSync(temporary, "ax", 0o600));
    const database = new DatabaseSync(temporary);
    database.exec(`${WAL}; ${TABLE}`);
    database.close();
    linkSync(temporary, path);
  } catch (error) {
    const code = errnoOf(error) ?? "";
    if (NO_LINKS.has(code)) closeSync(openSync(path, "a", 0o600));
    // Another process created the file first.
    else if (code !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function createFile(database: DatabaseSync, path: string): JournalFile {
  const insert = database.prepare("INSERT INTO rows (number, seal, text) VALUES (?, ?, ?)");
  const newest = database.prepare(`SELECT ${COLUMNS} FROM rows ORDER BY number DESC LIMIT 1`);
  const page = database.prepare(`SELECT ${COLUMNS} FROM rows WHERE number > ? ORDER BY number LIMIT ?`);
  const pageBack = database.prepare(`SELECT ${COLUMNS} FROM rows WHERE number < ? ORDER BY number DESC LIMIT ?`);
  const given = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'rows'");
  const forget = database.prepare("DELETE FROM rows WHERE number <= ?");
  const last = (): JournalRow | undefined => toRow(newest.get());
  const opened = identityOf(path);

  return {
    append(make, keep) {
      guarded(() => {
        // SQLite keeps writing to a removed file, which no process can read.
        if (identityOf(path) !== opened) throw new JournalError(`"${path}" was removed or replaced while it was open`, false);
        database.exec("BEGIN IMMEDIATE");
        try {
          let end = 0;
          for (const { number, seal, text } of make(last())) {
            insert.run(number, seal, text);
            end = number;
          }
          if (keep !== undefined) forget.run(end - keep);
          database.exec("COMMIT");
        } catch (error) {
          // A full disk has already ended the transaction.
          if (database.isTransaction) database.exec("ROLLBACK");
          throw error;
        }
      });
    },
    last: () => guarded(last),
    rows: (after, limit) =>
      inOrder(
        guarded(() => page.all(after, limit).flatMap((row) => toRow(row) ?? [])),
        after,
        1,
      ),
    rowsBefore: (before, limit) =>
      inOrder(
        guarded(() => pageBack.all(before, limit).flatMap((row) => toRow(row) ?? [])),
        before,
        -1,
      ),
    highest: () => guarded(() => Number(given.get()?.["seq"] ?? 0)),
    damage() {
      try {
        const found = database.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"];
        return found === "ok" ? undefined : String(found);
      } catch (error) {
        return errorText(error);
      }
    },
    close: () => database.close(),
  };
}

/** Verifies that paging by number advances, because rows of a damaged page may have any number. */
function inOrder(rows: readonly JournalRow[], from: number, step: 1 | -1): readonly JournalRow[] {
  let before = from;
  for (const { number } of rows) {
    if ((number - before) * step <= 0) throw new JournalError(`row ${number} is out of order`, false);
    before = number;
  }
  return rows;
}

/** Returns the identity of the file that a path names now. */
function identityOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : `${found.dev} ${found.ino}`;
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
    if (error instanceof JournalError) throw error;
    if (error instanceof Error && ("errcode" in error || "code" in error)) throw new JournalError(error.message, isBusy(error));
    throw error;
  }
}
