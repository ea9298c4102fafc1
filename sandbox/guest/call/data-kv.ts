/** `context.data.kv`: JSON values and bytes by key. */

import { requireWholeText } from "./channel.ts";
import { countOf, type Row, send, setOwn, valueText } from "./data-request.ts";
import { refuseLost } from "./lost-values.ts";
import { quoteJson } from "../language/json-text.ts";
import {
  type Callable,
  jsonParse,
  jsonStringify,
  objectFreeze,
  PrimordialPromise,
  PrimordialTypeError,
  promiseReject,
  promiseThen,
  reflectApply,
} from "../language/primordials.ts";
import { isBufferSource } from "../web/bytes.ts";

const DEFAULT_LIST = 1_000;
const MAX_TRIES = 100;

interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly version: number;
}

/** Stored as JSON text, or as bytes. */
function toEntry(row: Row | undefined): Entry | undefined {
  if (row === undefined) return undefined;
  const { key, value, version } = row as { readonly key: string; readonly value: unknown; readonly version: number };
  return { key, value: typeof value === "string" ? jsonParse(value) : value, version };
}

function keyOf(key: unknown): string {
  if (typeof key !== "string") throw new PrimordialTypeError("A key must be a string");
  return requireWholeText(key, "The key");
}

function storedForm(value: unknown): unknown {
  if (isBufferSource(value)) return value;
  const text = jsonStringify(value);
  if (text === undefined) throw new PrimordialTypeError("The value has no JSON form (delete() removes an entry)");
  refuseLost(value, text, "value");
  return text;
}

/** Returns the JSON of an operation of the store. */
function kvText(operation: string, key: unknown, more = ""): string {
  return `{"kv":"${operation}","key":${quoteJson(keyOf(key))}${more}}`;
}

function entry(key: unknown): Promise<Entry | undefined> {
  return send(
    "read",
    () => kvText("get", key),
    (results) => toEntry(results[0]?.rows[0]),
  );
}

/** Returns the JSON member of options `{ version }`. */
function versionText(options: unknown): string {
  const { version } = (options ?? {}) as Row;
  return version === undefined ? "" : `,"version":${countOf(version, "version")}`;
}

function set(key: unknown, value: unknown, options?: unknown): Promise<number | undefined> {
  const text = (): string => kvText("set", key, `,"value":${valueText(storedForm(value), "The value")}${versionText(options)}`);
  return send("write", text, (results) => results[0]?.rows[0]?.["version"] as number | undefined);
}

function remove(key: unknown, options?: unknown): Promise<boolean> {
  return send(
    "write",
    () => kvText("delete", key, versionText(options)),
    (results) => (results[0]?.changes ?? 0) > 0,
  );
}

function list(prefix: unknown = "", options?: unknown): Promise<Entry[]> {
  const text = (): string => {
    const { limit = DEFAULT_LIST, after = "" } = (options ?? {}) as Row;
    return `{"kv":"list","prefix":${quoteJson(keyOf(prefix))},"after":${quoteJson(keyOf(after))},"limit":${countOf(limit, "limit")}}`;
  };
  return send("read", text, ([result]) => {
    const entries: Entry[] = [];
    const rows = result?.rows ?? [];
    for (let index = 0; index < rows.length; index++) setOwn(entries, `${index}`, toEntry(rows[index]));
    return entries;
  });
}

/** Sets the entry to what `change` makes of it, again if another call changed it in between. Holds nothing while `change` runs. */
function update(key: unknown, change: unknown): Promise<unknown> {
  if (typeof change !== "function") return promiseReject(new PrimordialTypeError("The second argument must be a function"));
  return new PrimordialPromise((resolve, reject) => {
    const attempt = (left: number): void => {
      if (left === 0) return reject(new PrimordialTypeError(`The entry was changed by other calls ${MAX_TRIES} times meanwhile`));
      const onEntry = (before: unknown): void => {
        const { value, version } = (before ?? { value: undefined, version: 0 }) as Entry;
        const made = new PrimordialPromise((done) => done(reflectApply(change as Callable, undefined, [value])));
        promiseThen(
          made,
          (next) => promiseThen(set(key, next, { version }), (kept) => (kept === undefined ? attempt(left - 1) : resolve(next)), reject),
          reject,
        );
      };
      promiseThen(entry(key), onEntry, reject);
    };
    attempt(MAX_TRIES);
  });
}

/** Returns the entry's value. If there is none, `make` makes it; of several calls at the same time, one sets it and all get that value. */
function once(key: unknown, make: unknown): Promise<unknown> {
  if (typeof make !== "function") return promiseReject(new PrimordialTypeError("The second argument must be a function"));
  const orMade = (known: unknown): unknown => (known === undefined ? reflectApply(make as Callable, undefined, []) : known);
  return new PrimordialPromise((resolve, reject) => {
    promiseThen(entry(key), (found) => resolve(found === undefined ? update(key, orMade) : (found as Entry).value), reject);
  });
}

export function createKv(): object {
  return objectFreeze({
    get: (key: unknown) =>
      send(
        "read",
        () => kvText("get", key),
        (results) => toEntry(results[0]?.rows[0])?.value,
      ),
    entry,
    has: (key: unknown) =>
      send(
        "read",
        () => kvText("has", key),
        (results) => (results[0]?.rows.length ?? 0) > 0,
      ),
    set,
    delete: remove,
    list,
    update,
    once,
  });
}
