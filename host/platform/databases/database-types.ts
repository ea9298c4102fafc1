/** Databases of plugins: one SQLite file each, opened in a process of its own. Types only. */

/** One request: its statements run in one transaction, so all of them count or none. */
export interface DatabaseRequest {
  /** `read`: nothing in the database changes. */
  readonly access: "read" | "write";
  /** Maximum size of the database. */
  readonly quotaBytes: number;
  /** Maximum size of the answer. */
  readonly answerBytes: number;
  /** JSON of `DatabaseStatements`, which the guest wrote. */
  readonly body: Uint8Array;
  /** Ends the request: a process that works on it is killed, which rolls the transaction back. */
  readonly signal: AbortSignal;
}

/** The JSON of a request. Values are those of JSON, `{ "b": base64 }` for bytes, `{ "i": text }` for large integers and `{ "n": text }` for infinite
 * numbers. */
export type DatabaseStatements =
  /** The other members are the parameters of the operation. */
  | { readonly kv: "get" | "has" | "list" | "set" | "delete"; readonly version?: unknown }
  | { readonly script: string }
  | {
      readonly steps: readonly {
        readonly sql: string;
        /** Values of the parameters, one set for each run of the statement. Absent: one run without parameters. */
        readonly sets?: readonly unknown[];
        /** Rows that the step must change, or everything is rolled back. */
        readonly expect?: number;
      }[];
    };

/**
 * `bytes` are the JSON `{ "results": [{ "rows": [{ … }], "coded"?: true, "changes": n, "last": rowid }] }`, one result for each step; `coded`:
 * some cells have the form that values have in a request. An error has the name and the code that the guest sees.
 */
export type DatabaseAnswer =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly name: string; readonly message: string; readonly code?: string };

export interface Databases {
  /**
   * Runs a request on the database in a folder, after the earlier requests for that folder. Creates a missing folder; reading creates no database in it.
   *
   * @param folder absolute path of a folder that belongs to one plugin and that no tool may touch
   * @throws {FileError} if the folder is a link, or cannot be created
   */
  run(folder: string, request: DatabaseRequest): Promise<DatabaseAnswer>;
  /** Ends the processes of the folders below `folder`, so that they can be deleted, and waits for it. */
  release(folder: string): Promise<void>;
}
