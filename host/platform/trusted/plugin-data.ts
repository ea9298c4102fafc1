/** `context.data` in a process of its own, with the shape of `sandbox/guest/call/data.ts` (SPEC AX3). */

import { refuseLost } from "../lost-values.ts";

/** Asks the host for an operation. */
type Request = (name: string, args: object, bytes?: Uint8Array) => Promise<{ readonly bytes: Uint8Array }>;

interface StepResult {
  readonly rows: Record<string, unknown>[];
  readonly changes: number;
  readonly last: unknown;
}

interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly version: number;
}

interface Member {
  readonly sql: string;
  readonly params?: unknown;
  readonly rows?: readonly unknown[];
  readonly changes?: number;
}

const MAX_TRIES = 100;

export function createData(path: unknown, request: Request): object {
  const send = async (access: "read" | "write", body: object): Promise<readonly StepResult[]> => {
    const { bytes } = await request(`data.${access}`, {}, new TextEncoder().encode(JSON.stringify(body)));
    const { results } = JSON.parse(new TextDecoder().decode(bytes)) as { readonly results: readonly StepResult[] };
    for (const { rows } of results) for (const row of rows) for (const name of Object.keys(row)) row[name] = fromCell(row[name]);
    return results;
  };
  const first = async (access: "read" | "write", body: object): Promise<StepResult> => (await send(access, body))[0] ?? NO_RESULT;
  const entry = async (key: unknown): Promise<Entry | undefined> => toEntry((await first("read", { kv: "get", key: String(key) })).rows[0]);
  const set = async (key: unknown, value: unknown, options: object = {}): Promise<unknown> =>
    (await first("write", { kv: "set", key: String(key), value: storedForm(value), ...options })).rows[0]?.["version"];

  const kv = {
    entry,
    set,
    get: async (key: unknown) => (await entry(key))?.value,
    has: async (key: unknown) => (await first("read", { kv: "has", key: String(key) })).rows.length > 0,
    delete: async (key: unknown, options: object = {}) =>
      (await first("write", { kv: "delete", key: String(key), ...options })).changes > 0,
    list: async (prefix: unknown = "", options: object = {}) =>
      (await first("read", { kv: "list", prefix: String(prefix), after: "", limit: 1_000, ...options })).rows.map(toEntry),
    async update(key: unknown, change: (value: unknown) => unknown) {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const { value, version = 0 } = (await entry(key)) ?? {};
        const next = await change(value);
        if ((await set(key, next, { version })) !== undefined) return next;
      }
      throw new TypeError(`The entry was changed by other calls ${MAX_TRIES} times meanwhile`);
    },
    async once(key: unknown, make: unknown) {
      if (typeof make !== "function") throw new TypeError("The second argument must be a function");
      const found = await entry(key);
      // Checked above; the plugin's own function.
      return found === undefined ? await kv.update(key, (known) => known ?? (make as () => unknown)()) : found.value;
    },
  };
  const sql = {
    exec: async (script: unknown) => void (await send("write", { script: String(script) })),
    query: async (text: unknown, params?: unknown) => (await first("read", { steps: [toStep({ sql: String(text), params })] })).rows,
    run: async (text: unknown, params?: unknown) => toRun(await first("write", { steps: [toStep({ sql: String(text), params })] })),
    transaction: async (members: readonly (string | Member)[]) =>
      (await send("write", { steps: members.map((one) => toStep(typeof one === "string" ? { sql: one } : one)) })).map(toRun),
  };
  return Object.freeze({ path, kv: Object.freeze(kv), sql: Object.freeze(sql) });
}

const NO_RESULT: StepResult = { rows: [], changes: 0, last: 0 };

function toRun({ rows, changes, last }: StepResult): object {
  return { changes, lastInsertRowid: fromCell(last), rows };
}

function toStep({ sql, params, rows, changes }: Member): object {
  const sets = rows ?? (params === undefined ? undefined : [params]);
  return { sql, ...(sets && { sets: sets.map(toSet) }), ...(changes !== undefined && { expect: changes }) };
}

function toSet(given: unknown): unknown {
  if (typeof given !== "object" || given === null) throw new TypeError("The parameters must be a list or an object");
  return Array.isArray(given)
    ? given.map((value, index) => toParameter(value, `Parameter ${index + 1}`))
    : Object.fromEntries(Object.entries(given).map(([name, value]) => [name, toParameter(value, `Parameter "${name}"`)]));
}

function toParameter(value: unknown, where: string): unknown {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "bigint") return { i: String(value) };
  if (typeof value === "number" && !Number.isNaN(value)) return Number.isFinite(value) ? value : { n: String(value) };
  if (value instanceof Uint8Array) return { b: Buffer.from(value).toString("base64") };
  throw new TypeError(`${where} is not a value of SQL (use text, a number, bytes or null; JSON.stringify makes text of an object)`);
}

function storedForm(value: unknown): unknown {
  if (value instanceof Uint8Array) return toParameter(value, "The value");
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError("The value has no JSON form (delete() removes an entry)");
  refuseLost(value, text, "value");
  return text;
}

function fromCell(cell: unknown): unknown {
  if (typeof cell !== "object" || cell === null) return cell;
  const { b, i, n } = cell as { readonly b?: string; readonly i?: string; readonly n?: string };
  if (b !== undefined) return new Uint8Array(Buffer.from(b, "base64"));
  return i === undefined ? Number(n) : BigInt(i);
}

function toEntry(row: Record<string, unknown> | undefined): Entry | undefined {
  if (row === undefined) return undefined;
  const { key, value, version } = row;
  return { key: String(key), value: typeof value === "string" ? (JSON.parse(value) as unknown) : value, version: Number(version) };
}
