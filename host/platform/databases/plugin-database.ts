/** A plugin's database as its process has it: runs the statements of one request in one transaction (SPEC AX3). */

import { existsSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { DatabaseRequest, DatabaseStatements } from "./database-types.ts";
import { KEY_VALUE_TABLE, keyValueStep } from "./key-values.ts";
import { readStatements, type Statement } from "./statements.ts";

/** Facts of a request that the process receives besides its body. */
export type RequestHead = Pick<DatabaseRequest, "access" | "quotaBytes" | "answerBytes">;

export interface PluginDatabase {
  /** @returns the answer's JSON @throws {DatabaseFailure} @throws {TypeError} */
  run(head: RequestHead, body: string): string;
  close(): void;
}

/** An error for the guest. */
export class DatabaseFailure extends Error {
  readonly code: string;
  constructor(name: string, message: string, code: string) {
    super(message);
    this.name = name;
    this.code = code;
  }
}

const PAGE_BYTES = 4_096;
/** How long a request waits while another process writes. */
const BUSY_MS = 5_000;
const MAX_STATEMENTS_KEPT = 64;
/** Bounds of SQLite itself: no other database, and no value, statement or row that takes much memory. */
const LIMITS = { attach: 0, length: 16 * 1024 * 1024, sqlLength: 1024 * 1024, column: 256, exprDepth: 200, compoundSelect: 100 };

interface Open {
  readonly database: DatabaseSync;
  readonly isFile: boolean;
  /** The file's, which another program may have made. */
  readonly pageBytes: number;
  /** SQLite's number of the schema that the prepared statements belong to. */
  schema: unknown;
  readonly statements: Map<string, Prepared>;
}

interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
  readonly word: string;
}

/** @param path of the database; undefined keeps it in memory */
export function createPluginDatabase(path: string | undefined): PluginDatabase {
  let open: Open | undefined;

  /** A missing file is not created by reading: an empty database takes its place. */
  function opened(access: RequestHead["access"]): Open {
    const isFile = path !== undefined && (access === "write" || existsSync(path));
    if (open === undefined || (open.isFile !== isFile && path !== undefined)) {
      open?.database.close();
      open = openDatabase(isFile ? path : ":memory:", isFile);
    }
    return open;
  }

  function reopen(): void {
    if (path === undefined) return;
    open?.database.close();
    open = undefined;
  }

  return {
    run(head, body) {
      const statements = parse(body);
      const own = opened(head.access);
      const { database, statements: kept } = own;
      const pages = Math.max(1, Math.floor(head.quotaBytes / own.pageBytes));
      database.exec(`PRAGMA max_page_count = ${pages}; PRAGMA query_only = ${head.access === "read" ? 1 : 0}`);
      try {
        database.exec(head.access === "read" ? "BEGIN" : "BEGIN IMMEDIATE");
        const schema = database.prepare("PRAGMA schema_version").get()?.["schema_version"];
        if (schema !== own.schema) kept.clear();
        own.schema = schema;
        const answer = runAll(statements, { database, kept, head });
        database.exec("COMMIT");
        return answer;
      } catch (error) {
        throw toFailure(error, head);
      } finally {
        // A full disk has already ended the transaction.
        if (database.isTransaction) database.exec("ROLLBACK");
        if (hasTemporary(database)) reopen();
      }
    },
    close: () => open?.database.close(),
  };
}

/** The guest wrote the text. Members of another type make the request fail. */
function parse(body: string): DatabaseStatements {
  try {
    return Object(JSON.parse(body)) as DatabaseStatements;
  } catch {
    throw new TypeError("The statements are not JSON");
  }
}

function openDatabase(path: string, isFile: boolean): Open {
  const database = new DatabaseSync(path, { timeout: BUSY_MS, defensive: true, limits: LIMITS });
  try {
    // Temporary data stays in memory, which the process's own bound covers; the file may come from another machine, so it is not trusted.
    database.exec(`PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA page_size = ${PAGE_BYTES}`);
    if (isFile) database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 0");
    database.exec(KEY_VALUE_TABLE);
    const pageBytes = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
    return { database, isFile, pageBytes, schema: undefined, statements: new Map() };
  } catch (error) {
    database.close();
    throw toFailure(error);
  }
}

/** Temporary tables last for one request, so that no call sees those of another. */
function hasTemporary(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM temp.sqlite_master LIMIT 1").get() !== undefined;
}

interface Running {
  readonly database: DatabaseSync;
  readonly kept: Map<string, Prepared>;
  readonly head: RequestHead;
}

function runAll(request: DatabaseStatements, running: Running): string {
  if ("script" in request) {
    checkAccess(readStatements(request.script), running.head);
    running.database.exec(request.script);
    return '{"results":[]}';
  }
  const budget = { left: running.head.answerBytes };
  const steps = "kv" in request ? [keyValueStep(request)] : request.steps;
  return `{"results":[${steps.map((step) => runStep(step, running, budget)).join(",")}]}`;
}

const READING: ReadonlySet<string> = new Set(["SELECT", "VALUES", "WITH", "EXPLAIN", "PRAGMA"]);

function checkAccess(statements: readonly Statement[], { access }: RequestHead): void {
  const other = access === "write" ? undefined : statements.find(({ word }) => !READING.has(word));
  if (other !== undefined) throw new TypeError(`query() only reads: use run() or transaction() for ${other.word}, which also return rows`);
}

type Step = Extract<DatabaseStatements, { readonly steps: unknown }>["steps"][number];

function runStep({ sql, sets = [[]], expect }: Step, running: Running, budget: { left: number }): string {
  const { database, head } = running;
  const { statement, hasRows, word } = prepare(sql, running);
  const rows = { texts: [] as string[], areCoded: false };
  let changes = 0;
  for (const set of sets) {
    const [named, positional] = toParameters(set);
    if (hasRows) {
      const before = totalChanges(database);
      for (const row of HIDES_ERRORS ? statement.all(named, ...positional) : statement.iterate(named, ...positional)) {
        const text = rowText(row, rows);
        budget.left -= Buffer.byteLength(text) + 1;
        if (budget.left < 0) throw tooLarge(head);
        rows.texts.push(text);
      }
      if (totalChanges(database) !== before) changes += Number(database.prepare("SELECT changes() AS n").get()?.["n"]);
    } else {
      const ran = statement.run(named, ...positional);
      if (DATA.has(word)) changes += Number(ran.changes);
    }
  }
  if (expect !== undefined && changes !== expect)
    throw new DatabaseFailure(
      "Error",
      `Changed ${changes} rows instead of ${expect}, so everything was rolled back: ${sql.slice(0, 200)}`,
      "CONFLICT",
    );
  const last = database.prepare("SELECT last_insert_rowid() AS n");
  last.setReadBigInts(true);
  const facts = JSON.stringify({ changes, last: toCell(last.get()?.["n"]), ...(rows.areCoded && { coded: true }) });
  budget.left -= facts.length + ROWS_BYTES;
  if (budget.left < 0) throw tooLarge(head);
  return `${facts.slice(0, -1)},"rows":[${rows.texts.join(",")}]}`;
}

/** `,"rows":[],` around the rows of a step. */
const ROWS_BYTES = 11;

function rowText(row: Readonly<Record<string, unknown>>, rows: { areCoded: boolean }): string {
  const cells: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const name of Object.keys(row)) {
    const cell = toCell(row[name]);
    rows.areCoded ||= typeof cell === "object" && cell !== null;
    cells[name] = cell;
  }
  return JSON.stringify(cells);
}

/** Deno's `iterate()` ends at an error as if there were no more rows (2.9); `all()` does not. */
const HIDES_ERRORS = "Deno" in globalThis;

/** Statements after which SQLite's count of changed rows is theirs. */
const DATA: ReadonlySet<string> = new Set(["INSERT", "REPLACE", "UPDATE", "DELETE", "WITH"]);

function totalChanges(database: DatabaseSync): number {
  return Number(database.prepare("SELECT total_changes() AS n").get()?.["n"]);
}

function tooLarge({ answerBytes }: RequestHead): DatabaseFailure {
  return new DatabaseFailure(
    "RangeError",
    `The rows take more than ${answerBytes} bytes, the limit of one host operation (read fewer with LIMIT)`,
    "EFBIG",
  );
}

function prepare(sql: string, { database, kept, head }: Running): Prepared {
  const known = kept.get(sql);
  if (known !== undefined) {
    checkAccess([known], head);
    return known;
  }
  const statements = readStatements(sql);
  const [only] = statements;
  if (only === undefined || statements.length > 1)
    throw new TypeError(`Expected one SQL statement, not ${statements.length} (exec() runs several): ${sql.slice(0, 200)}`);
  checkAccess(statements, head);
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  const made = { statement, hasRows: statement.columns().length > 0, word: only.word };
  const [oldest] = kept.keys();
  if (kept.size >= MAX_STATEMENTS_KEPT && oldest !== undefined) kept.delete(oldest);
  // Statements that change the schema are seldom run twice.
  if (DATA.has(made.word) || READING.has(made.word)) kept.set(sql, made);
  return made;
}

type Value = null | number | bigint | string | Uint8Array;

function toParameters(set: unknown): readonly [named: Record<string, Value>, positional: readonly Value[]] {
  if (Array.isArray(set)) return [{}, set.map(toValue)];
  return [Object.fromEntries(Object.entries(set as object).map(([name, value]) => [name, toValue(value)])), []];
}

function toValue(given: unknown): Value {
  if (typeof given === "string" && given.includes("\0")) throw new TypeError("A text with U+0000 cannot be stored (store its bytes)");
  if (given === null || typeof given === "number" || typeof given === "string") return given;
  const { b, n, i } = given as { readonly b?: string; readonly n?: string; readonly i?: string };
  if (b !== undefined) return Uint8Array.from(Buffer.from(b, "base64"));
  return i === undefined ? Number(n) : BigInt(i);
}

/** A value of a row, in the form that the guest's half reads (`sandbox/guest/call/data.ts`). */
function toCell(value: unknown): unknown {
  if (value instanceof Uint8Array) return { b: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : { i: String(value) };
  return typeof value === "number" && !Number.isFinite(value) ? { n: String(value) } : value;
}

const MIB = 1024 * 1024;

/** Deno sets no number for some errors, so the text counts. */
function toFailure(error: unknown, head?: RequestHead): Error {
  if (!(error instanceof Error) || error instanceof DatabaseFailure || error instanceof TypeError) return error as Error;
  const { message } = error;
  if (/database or disk is full/.test(message)) {
    const limit = `${Math.round(((head?.quotaBytes ?? 0) / MIB) * 10) / 10} MiB`;
    const hint = `delete what is no longer needed, or request more with "limits": { "dataBytes": … } in the manifest`;
    return new DatabaseFailure("Error", `The plugin's database is full: it may take ${limit} (${hint})`, "SQLITE_FULL");
  }
  if (/database (?:table )?is locked|database is busy/.test(message))
    return new DatabaseFailure(
      "Busy",
      `Another process has been writing to the plugin's database for ${BUSY_MS / 1_000} s (try again)`,
      "SQLITE_BUSY",
    );
  if (/readonly database/.test(message)) return new TypeError("query() only reads: use run() or transaction(), which also return rows");
  if (/out of memory|string or blob too big/.test(message))
    return new DatabaseFailure("RangeError", `The statement takes too much memory: ${message}`, "SQLITE_NOMEM");
  return new DatabaseFailure("Error", message, "SQLITE_ERROR");
}
