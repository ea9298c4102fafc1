/**
 * State files in SQLite. The process that opens one holds SQLite's exclusive lock for as long as it lives: the system releases the lock
 * with the process, however that ends, so another host can tell a file that is in use from one that was left behind.
 */

import { createCipheriv, createDecipheriv, createSecretKey, hash, type KeyObject, randomBytes } from "node:crypto";
import { closeSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { errnoOf } from "./file-errors.ts";
import type { StateFile, States, StateRow, Unsealed } from "./state-types.ts";
import { temporaryFor } from "./write-atomic.ts";

/** Heads are apart from bodies, so that listing all of them is fast. */
const TABLES = `
CREATE TABLE IF NOT EXISTS heads (id TEXT PRIMARY KEY, head BLOB NOT NULL, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bodies (id TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT`;

const KEY_BYTES = 32;
/** Layout of a seal: format, id of the key, nonce, tag, encrypted bytes. */
const FORMAT = 1;
const ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_AT = 1 + ID_BYTES;
const TAG_AT = NONCE_AT + NONCE_BYTES;
const BYTES_AT = TAG_AT + TAG_BYTES;
const CIPHER = "aes-256-gcm";

export function createStates(): States {
  return { create, takeOver, keyAt, seal, unseal };
}

function create(path: string): StateFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives its companion files the same mode.
  closeSync(openSync(path, "ax", 0o600));
  return hold(path);
}

function takeOver(path: string): StateFile | undefined {
  try {
    return hold(path);
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function hold(path: string): StateFile {
  const database = new DatabaseSync(path, { timeout: 0, defensive: true });
  try {
    database.exec(
      `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN EXCLUSIVE; ${TABLES}; COMMIT`,
    );
    return createFile(database, path);
  } catch (error) {
    database.close();
    throw error;
  }
}

function createFile(database: DatabaseSync, path: string): StateFile {
  const rows = database.prepare("SELECT id, bytes FROM heads");
  const head = database.prepare("SELECT head FROM heads WHERE id = ?");
  const body = database.prepare("SELECT body FROM bodies WHERE id = ?");
  const putHead = database.prepare("INSERT OR REPLACE INTO heads (id, head, bytes) VALUES (?, ?, ?)");
  const putBody = database.prepare("INSERT OR REPLACE INTO bodies (id, body) VALUES (?, ?)");
  const deleteHead = database.prepare("DELETE FROM heads WHERE id = ?");
  const deleteBody = database.prepare("DELETE FROM bodies WHERE id = ?");
  const count = database.prepare("SELECT count(*) AS count FROM heads");

  function together(act: () => void): void {
    database.exec("BEGIN");
    try {
      act();
      database.exec("COMMIT");
    } catch (error) {
      // A full disk has already ended the transaction.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  /** Called while the file is still held, because another host may take it over as soon as it is not. */
  function remove(): void {
    for (const companion of ["-wal", "-journal", ""]) rmSync(path + companion, { force: true });
  }

  return {
    rows: () => rows.all().map(toRow),
    head: (id) => bytesOf(head.get(id)?.["head"]),
    body: (id) => bytesOf(body.get(id)?.["body"]),
    put: (id, head, bytes) =>
      together(() => {
        putHead.run(id, head, bytes?.length ?? 0);
        if (bytes === undefined) deleteBody.run(id);
        else putBody.run(id, bytes);
      }),
    delete(id) {
      try {
        together(() => {
          deleteHead.run(id);
          deleteBody.run(id);
        });
        return undefined;
      } catch (error) {
        if (!database.isOpen) throw error;
        // Removing files needs no room on the disk.
        remove();
        database.close();
        return String(error);
      }
    },
    close() {
      const isEmpty = Number(count.get()?.["count"]) === 0;
      if (isEmpty) remove();
      database.close();
    },
  };
}

function toRow(row: Readonly<Record<string, unknown>>): StateRow {
  return { id: String(row["id"]), bytes: Number(row["bytes"]) };
}

function bytesOf(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined;
}

/** SQLITE_BUSY and SQLITE_LOCKED, with their extended codes. Deno 2.9 has the message only. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!("errcode" in error) || typeof error.errcode !== "number") return error.message === "database is locked";
  const code = error.errcode & 0xff;
  return code === 5 || code === 6;
}

/** Created by a link, so that two hosts that start together get the same key. */
function keyAt(path: string): Uint8Array {
  const known = readKey(path);
  if (known !== undefined) return known;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = temporaryFor(path);
  try {
    writeFileSync(temporary, randomBytes(KEY_BYTES), { flag: "wx", mode: 0o600 });
    linkSync(temporary, path);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  const made = readKey(path);
  if (made === undefined) throw new Error(`The key "${path}" was removed while it was created`);
  return made;
}

function readKey(path: string): Uint8Array | undefined {
  try {
    const key = readFileSync(path);
    if (key.length !== KEY_BYTES)
      throw new Error(`The key "${path}" has ${key.length} bytes instead of ${KEY_BYTES} (delete it; what it sealed is lost)`);
    return key;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** A key as the runtime wants it: making one from bytes costs five times what decrypting a head does. */
interface ReadyKey {
  readonly secret: KeyObject;
  readonly id: Uint8Array;
}

const readyKeys = new WeakMap<Uint8Array, ReadyKey>();

function ready(key: Uint8Array): ReadyKey {
  const known = readyKeys.get(key) ?? { secret: createSecretKey(key), id: hash("sha256", key, "buffer").subarray(0, ID_BYTES) };
  readyKeys.set(key, known);
  return known;
}

function seal(key: Uint8Array, bytes: Uint8Array, about: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const { secret, id } = ready(key);
  const cipher = createCipheriv(CIPHER, secret, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(about));
  const sealed = new Uint8Array(BYTES_AT + bytes.length);
  sealed[0] = FORMAT;
  sealed.set(id, 1);
  sealed.set(nonce, NONCE_AT);
  sealed.set(cipher.update(bytes), BYTES_AT);
  cipher.final();
  sealed.set(cipher.getAuthTag(), TAG_AT);
  return sealed;
}

function unseal(key: Uint8Array, sealed: Uint8Array, about: string): Unsealed {
  if (sealed.length < BYTES_AT || sealed[0] !== FORMAT) return { ok: false, differs: "altered" };
  const { secret, id } = ready(key);
  if (id.some((byte, index) => byte !== sealed[1 + index])) return { ok: false, differs: "project" };
  const decipher = createDecipheriv(CIPHER, secret, sealed.subarray(NONCE_AT, TAG_AT), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(about));
  decipher.setAuthTag(sealed.subarray(TAG_AT, BYTES_AT));
  const bytes = decipher.update(sealed.subarray(BYTES_AT));
  try {
    decipher.final();
  } catch {
    // The tag does not match.
    return { ok: false, differs: "altered" };
  }
  return { ok: true, bytes };
}
