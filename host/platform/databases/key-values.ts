/** The key-value store of `context.data.kv`: one table of the plugin's database, and the statements of its operations. */

import type { DatabaseStatements } from "./database-types.ts";

/** A version is never given twice, so a deleted entry's version does not come back. Values are JSON text or bytes. */
export const KEY_VALUE_TABLE =
  "CREATE TABLE IF NOT EXISTS bascule_kv (version INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, value ANY NOT NULL) STRICT";

const GET = "SELECT key, value, version FROM bascule_kv WHERE key = :key";
const HAS = "SELECT 1 FROM bascule_kv WHERE key = :key";
/** The byte FF comes after every text with the prefix before it, because UTF-8 has no such byte. */
const LIST = `SELECT key, value, version FROM bascule_kv
  WHERE key >= :prefix AND key < :prefix || CAST(x'ff' AS TEXT) AND key > :after ORDER BY key LIMIT :limit`;
const SET = "INSERT OR REPLACE INTO bascule_kv (key, value) VALUES (:key, :value) RETURNING version";
/** Version 0 stands for no entry. */
const SET_IF = `INSERT OR REPLACE INTO bascule_kv (key, value) SELECT :key, :value
  WHERE ifnull((SELECT version FROM bascule_kv WHERE key = :key), 0) = :version RETURNING version`;
const DELETE = "DELETE FROM bascule_kv WHERE key = :key";
const DELETE_IF = "DELETE FROM bascule_kv WHERE key = :key AND version = :version";

type KeyValueRequest = Extract<DatabaseStatements, { readonly kv: unknown }>;
type Step = Extract<DatabaseStatements, { readonly steps: unknown }>["steps"][number];

/** @throws {TypeError} for an unknown operation */
export function keyValueStep({ kv, ...given }: KeyValueRequest): Step {
  const isIf = given.version !== undefined;
  switch (kv) {
    case "get":
      return { sql: GET, sets: [given] };
    case "has":
      return { sql: HAS, sets: [given] };
    case "list":
      return { sql: LIST, sets: [given] };
    case "set":
      return { sql: isIf ? SET_IF : SET, sets: [given] };
    case "delete":
      return { sql: isIf ? DELETE_IF : DELETE, sets: [given] };
    default:
      throw new TypeError("Unknown operation of the key-value store");
  }
}
