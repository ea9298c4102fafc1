/** `URLSearchParams` (https://url.spec.whatwg.org/#interface-urlsearchparams). The worker parses and serialises. */

import { askWorker } from "../call/channel.ts";
import { quoteString } from "../inspect/inspect-text.ts";
import { DEFAULT_INSPECT } from "../inspect/inspection.ts";
import { installPairIterator, iteratePairs, type Pair } from "./pair-iterator.ts";
import { listToJson, quoteJson } from "../language/json-text.ts";
import {
  arrayJoin,
  arraySort,
  bareList,
  bareObject,
  type Callable,
  define,
  objectIsEnumerable,
  PrimordialSymbol,
  PrimordialTypeError,
  reflectApply,
  reflectGet,
  reflectOwnKeys,
  stringCharCodeAt,
  stringIndexOf,
  stringLastIndexOf,
  stringSlice,
  stringStartsWith,
} from "../language/primordials.ts";
import { exposeInterface, requireArguments, showAs, toUsvString } from "./webidl.ts";

const { iterator } = PrimordialSymbol;
const ITERATOR = "URLSearchParams Iterator";

/** A URL passes this instead of an initial value: its query and a listener for changes. */
interface FromUrl {
  readonly query: string;
  readonly changed: (query: string) => void;
}
let fromUrl: FromUrl | undefined;

export class URLSearchParams {
  #pairs: Pair[];
  #changed: ((query: string) => void) | undefined;

  constructor(init: unknown = "") {
    if (fromUrl === undefined) {
      this.#pairs = readInit(init);
      return;
    }
    this.#pairs = parseQuery(fromUrl.query);
    this.#changed = fromUrl.changed;
  }

  get size(): number {
    return this.#pairs.length;
  }

  append(name: unknown, value: unknown): void {
    requireArguments(arguments.length, 2, "execute 'append' on 'URLSearchParams'");
    const pair = { name: toUsvString(name), value: toUsvString(value) };
    this.#pairs[this.#pairs.length] = pair;
    this.#update();
  }

  delete(name: unknown, value: unknown = undefined): void {
    requireArguments(arguments.length, 1, "execute 'delete' on 'URLSearchParams'");
    const wanted = matcher(name, value);
    this.#keep((pair) => !wanted(pair));
    this.#update();
  }

  get(name: unknown): string | null {
    requireArguments(arguments.length, 1, "execute 'get' on 'URLSearchParams'");
    return find(this.#pairs, matcher(name, undefined))?.value ?? null;
  }

  getAll(name: unknown): string[] {
    requireArguments(arguments.length, 1, "execute 'getAll' on 'URLSearchParams'");
    const wanted = matcher(name, undefined);
    const values: string[] = [];
    for (let index = 0; index < this.#pairs.length; index++) {
      const pair = this.#pairs[index];
      if (pair !== undefined && wanted(pair)) define(values, values.length, pair.value, true);
    }
    return values;
  }

  has(name: unknown, value: unknown = undefined): boolean {
    requireArguments(arguments.length, 1, "execute 'has' on 'URLSearchParams'");
    return find(this.#pairs, matcher(name, value)) !== undefined;
  }

  set(name: unknown, value: unknown): void {
    requireArguments(arguments.length, 2, "execute 'set' on 'URLSearchParams'");
    const wanted = matcher(name, undefined);
    const text = toUsvString(value);
    const first = find(this.#pairs, wanted);
    if (first === undefined) this.#pairs[this.#pairs.length] = { name: toUsvString(name), value: text };
    else {
      first.value = text;
      this.#keep((pair) => pair === first || !wanted(pair));
    }
    this.#update();
  }

  sort(): void {
    // By code units, and stable, as the standard requires.
    arraySort(this.#pairs, (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    this.#update();
  }

  forEach(callback: unknown, self: unknown = undefined): void {
    requireArguments(arguments.length, 1, "execute 'forEach' on 'URLSearchParams'");
    if (typeof callback !== "function") throw new PrimordialTypeError("The callback is not a function");
    for (let index = 0; index < this.#pairs.length; index++) {
      const pair = this.#pairs[index];
      if (pair !== undefined) reflectApply(callback as Callable, self, [pair.value, pair.name, this]);
    }
  }

  entries(): object {
    return iteratePairs(ITERATOR, this.#pairs, (pair) => [pair.name, pair.value]);
  }

  keys(): object {
    return iteratePairs(ITERATOR, this.#pairs, (pair) => pair.name);
  }

  values(): object {
    return iteratePairs(ITERATOR, this.#pairs, (pair) => pair.value);
  }

  toString(): string {
    return formatQuery(this.#pairs);
  }

  #keep(test: (pair: Pair) => boolean): void {
    let kept = 0;
    for (let index = 0; index < this.#pairs.length; index++) {
      const pair = this.#pairs[index];
      if (pair !== undefined && test(pair)) this.#pairs[kept++] = pair;
    }
    this.#pairs.length = kept;
  }

  #update(): void {
    this.#changed?.(formatQuery(this.#pairs));
  }

  /** Access to parameters for URLs, removed from the class at boot. */
  static access = {
    isParams: (value: object): value is URLSearchParams => #pairs in value,
    pairsOf: (params: URLSearchParams): Pair[] => params.#pairs,
    replace: (params: URLSearchParams, pairs: Pair[]): void => {
      // Keeps the same list, so that running iterators continue in the new content.
      const list = params.#pairs;
      list.length = pairs.length;
      for (let index = 0; index < pairs.length; index++) {
        const pair = pairs[index];
        if (pair !== undefined) list[index] = pair;
      }
    },
  };
}

const access = URLSearchParams.access;

/** Returns the query of parameters that a program passed, or undefined for any other value. */
export function queryOf(value: object): string | undefined {
  return access.isParams(value) ? formatQuery(access.pairsOf(value)) : undefined;
}

/** Creates the parameters of a URL; `changed` receives the new query after every change. */
export function makeSearchParams(search: string, changed: (query: string) => void): URLSearchParams {
  fromUrl = { query: withoutMark(search), changed };
  try {
    return new URLSearchParams();
  } finally {
    fromUrl = undefined;
  }
}

/** Replaces the parameters when the URL's query changed. */
export function updateSearchParams(params: URLSearchParams, search: string): void {
  access.replace(params, parseQuery(withoutMark(search)));
}

function withoutMark(text: string): string {
  return stringStartsWith(text, "?") ? stringSlice(text, 1) : text;
}

function readInit(init: unknown): Pair[] {
  if ((typeof init !== "object" || init === null) && typeof init !== "function") return parseQuery(withoutMark(toUsvString(init)));
  const method = reflectGet(init, iterator);
  return method === undefined || method === null ? fromRecord(init) : fromSequence(init as Iterable<unknown>);
}

function fromSequence(sequence: Iterable<unknown>): Pair[] {
  const pairs = bareList<Pair>();
  for (const item of sequence) {
    const texts = bareList<string>();
    if (typeof item !== "object" || item === null) throw new PrimordialTypeError("Each query pair must be an iterable [name, value] tuple");
    for (const text of item as Iterable<unknown>) texts[texts.length] = toUsvString(text);
    if (texts.length !== 2) throw new PrimordialTypeError("Each query pair must be an iterable [name, value] tuple");
    pairs[pairs.length] = { name: texts[0] ?? "", value: texts[1] ?? "" };
  }
  return pairs;
}

function fromRecord(record: object): Pair[] {
  const keys = reflectOwnKeys(record);
  const values = bareObject<Pair>();
  const pairs = bareList<Pair>();
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    if (key === undefined || !objectIsEnumerable(record, key)) continue;
    // Keys that are equal as USVStrings count as one: the last value at the first place.
    const name = toUsvString(key);
    const value = toUsvString(reflectGet(record, key));
    const known = values[name];
    if (known !== undefined) known.value = value;
    else pairs[pairs.length] = values[name] = { name, value };
  }
  return pairs;
}

/** Long queries are sent in parts, because the worker handles each part without a time check. */
const PART_LENGTH = 16 * 1024;

/** Parses `name=value&…`, without a question mark. */
export function parseQuery(query: string): Pair[] {
  const pairs = bareList<Pair>();
  for (let at = 0; at < query.length;) {
    const end = query.length - at <= PART_LENGTH ? query.length : endOfPart(query, at);
    // `search.parse` returns names and values alternately.
    const flat = askWorker("search.parse", quoteJson(stringSlice(query, at, end))) as readonly string[];
    for (let index = 0; index + 1 < flat.length; index += 2)
      pairs[pairs.length] = { name: flat[index] ?? "", value: flat[index + 1] ?? "" };
    at = end + 1;
  }
  return pairs;
}

/** Ends a part before the last ampersand in reach, else before the next one. */
function endOfPart(query: string, start: number): number {
  const near = stringLastIndexOf(stringSlice(query, start, start + PART_LENGTH), "&");
  if (near !== -1) return start + near;
  const next = stringIndexOf(query, "&", start + PART_LENGTH);
  return next === -1 ? query.length : next;
}

function formatQuery(pairs: Pair[]): string {
  const parts = bareList<string>();
  let flat = bareList<string>();
  let length = 0;
  const send = (): void => {
    if (flat.length > 0) parts[parts.length] = encodeFlat(flat);
    flat = bareList<string>();
    length = 0;
  };
  for (let index = 0; index < pairs.length; index++) {
    const { name = "", value = "" } = pairs[index] ?? {};
    if (name.length + value.length > PART_LENGTH) {
      send();
      parts[parts.length] = `${encodeLong(name)}=${encodeLong(value)}`;
      continue;
    }
    flat[flat.length] = name;
    flat[flat.length] = value;
    length += name.length + value.length + PAIR_LENGTH;
    if (length > PART_LENGTH) send();
  }
  send();
  return arrayJoin(parts, "&");
}

/** Cost of a pair in characters, even if it is empty. */
const PAIR_LENGTH = 16;

function encodeFlat(flat: string[]): string {
  return `${askWorker("search.format", listToJson(flat)) as string}`;
}

/** Encodes a name or value in parts that split no character. Each part is encoded as the value of an empty name, without the "=". */
function encodeLong(text: string): string {
  const parts = bareList<string>();
  for (let at = 0; at < text.length;) {
    const end = at + PART_LENGTH;
    const code = end < text.length ? stringCharCodeAt(text, end - 1) : 0;
    const whole = code >= 0xd800 && code < 0xdc00 ? end - 1 : end;
    const flat = bareList<string>();
    flat[0] = "";
    flat[1] = stringSlice(text, at, whole);
    parts[parts.length] = stringSlice(encodeFlat(flat), 1);
    at = whole;
  }
  return arrayJoin(parts, "");
}

function matcher(name: unknown, value: unknown): (pair: Pair) => boolean {
  const wantedName = toUsvString(name);
  const wantedValue = value === undefined ? undefined : toUsvString(value);
  return (pair) => pair.name === wantedName && (wantedValue === undefined || pair.value === wantedValue);
}

function find(pairs: Pair[], test: (pair: Pair) => boolean): Pair | undefined {
  for (let index = 0; index < pairs.length; index++) {
    const pair = pairs[index];
    if (pair !== undefined && test(pair)) return pair;
  }
  return undefined;
}

export function installSearchParams(global: object): void {
  Reflect.deleteProperty(URLSearchParams, "access");
  Reflect.defineProperty(URLSearchParams, "length", { value: 0, configurable: true });
  exposeInterface(global, "URLSearchParams", URLSearchParams);
  define(URLSearchParams.prototype, iterator, URLSearchParams.prototype.entries);
  installPairIterator(ITERATOR);
  showAs((value) => {
    if (!access.isParams(value)) return undefined;
    const pairs = access.pairsOf(value);
    const entries = bareList<string>();
    for (let index = 0; index < pairs.length; index++) {
      entries[index] =
        `${quoteString(pairs[index]?.name ?? "", DEFAULT_INSPECT)} => ${quoteString(pairs[index]?.value ?? "", DEFAULT_INSPECT)}`;
    }
    return { name: "URLSearchParams", members: bareObject(), entries };
  });
}
