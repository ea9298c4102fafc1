/** `Headers` (https://fetch.spec.whatwg.org/#headers-class). As in Deno, no name is forbidden: the host decides which fields it sends. */

import { isToken, trimSpace } from "./mime-type.ts";
import { installPairIterator, iterateLive } from "./pair-iterator.ts";
import {
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
  stringToLowerCase,
} from "../language/primordials.ts";
import { inspect } from "../inspect/inspect.ts";
import { exposeInterface, forEachItem, iterableBy, requireArguments, showAs, toDomString } from "./webidl.ts";

const { iterator } = PrimordialSymbol;
const ITERATOR = "Headers Iterator";

/** One field; names are in lower case. */
interface HeaderField {
  readonly name: string;
  readonly value: string;
}

export class Headers {
  #list: HeaderField[] = bareList<HeaderField>();
  #immutable = false;

  constructor(init: unknown = undefined) {
    if (init !== undefined) fill(this.#list, init);
  }

  append(name: unknown, value: unknown): void {
    requireArguments(arguments.length, 2, "execute 'append' on 'Headers'");
    const field = toField(name, value);
    this.#requireMutable();
    this.#list[this.#list.length] = field;
  }

  delete(name: unknown): void {
    requireArguments(arguments.length, 1, "execute 'delete' on 'Headers'");
    const wanted = toName(name);
    this.#requireMutable();
    keep(this.#list, (field) => field.name !== wanted);
  }

  get(name: unknown): string | null {
    requireArguments(arguments.length, 1, "execute 'get' on 'Headers'");
    return combined(this.#list, toName(name));
  }

  getSetCookie(): string[] {
    const values: string[] = [];
    for (let index = 0; index < this.#list.length; index++) {
      const field = this.#list[index];
      if (field?.name === "set-cookie") define(values, values.length, field.value, true);
    }
    return values;
  }

  has(name: unknown): boolean {
    requireArguments(arguments.length, 1, "execute 'has' on 'Headers'");
    return combined(this.#list, toName(name)) !== null;
  }

  set(name: unknown, value: unknown): void {
    requireArguments(arguments.length, 2, "execute 'set' on 'Headers'");
    const field = toField(name, value);
    this.#requireMutable();
    setField(this.#list, field);
  }

  entries(): object {
    return this.#iterate((field) => [field.name, field.value]);
  }

  keys(): object {
    return this.#iterate((field) => field.name);
  }

  values(): object {
    return this.#iterate((field) => field.value);
  }

  forEach(callback: unknown, self: unknown = undefined): void {
    requireArguments(arguments.length, 1, "execute 'forEach' on 'Headers'");
    if (typeof callback !== "function") throw new PrimordialTypeError("The callback is not a function");
    for (let index = 0; ; index++) {
      const field = at(sortAndCombine(this.#list), index);
      if (field === undefined) return;
      reflectApply(callback as Callable, self, [field.value, field.name, this]);
    }
  }

  #iterate(pick: (field: HeaderField) => unknown): object {
    const list = this.#list;
    return iterateLive(ITERATOR, (index) => {
      const field = at(sortAndCombine(list), index);
      return field === undefined ? undefined : { value: pick(field) };
    });
  }

  #requireMutable(): void {
    if (this.#immutable) throw new PrimordialTypeError("Cannot change headers: headers are immutable");
  }

  /** Access to headers for requests and responses, removed from the class at boot. */
  static access = {
    isHeaders: (value: object): value is Headers => #list in value,
    listOf: (headers: Headers): HeaderField[] => headers.#list,
    freeze: (headers: Headers): void => {
      headers.#immutable = true;
    },
  };
}

const access = Headers.access;
const isHeaders: (value: object) => value is Headers = access.isHeaders;
/** Returns the headers' own list, for reading and for filling new headers. */
export const headerFields: (headers: Headers) => HeaderField[] = access.listOf;
export const freezeHeaders: (headers: Headers) => void = access.freeze;

/** Returns the joined values of one name, or null if it is absent. */
export function headerValue(headers: Headers, name: string): string | null {
  return combined(headerFields(headers), name);
}

/** Copies fields without methods that a program may have changed. */
export function copyHeaders(from: Headers, to: Headers): void {
  const fields = headerFields(from);
  const list = headerFields(to);
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index];
    if (field !== undefined) list[list.length] = field;
  }
}

/** Fills new headers. @throws {TypeError} if a name or value is invalid */
export function fillHeaders(headers: Headers, init: unknown): void {
  fill(headerFields(headers), init);
}

function fill(list: HeaderField[], init: unknown): void {
  if ((typeof init !== "object" || init === null) && typeof init !== "function") {
    throw new PrimordialTypeError(
      "Failed to construct 'Headers': Argument 1 The provided value is not of type '(sequence<sequence<ByteString>> or record<ByteString, ByteString>)'",
    );
  }
  const method = reflectGet(init, iterator);
  const fields =
    method === undefined || method === null ? fromRecord(init) : fromSequence(iterableBy(init, method, "The headers are not iterable"));
  for (let index = 0; index < fields.length; index++) {
    const [name, value] = fields[index] ?? ["", ""];
    list[list.length] = toField(name, value);
  }
}

type Given = readonly [name: string, value: string];

function fromSequence(sequence: Iterable<unknown>): Given[] {
  const fields = bareList<Given>();
  for (const item of sequence) {
    const texts = bareList<string>();
    forEachItem(item, "Invalid header: it is not a pair", (text) => {
      texts[texts.length] = toByteString(text);
    });
    if (texts.length !== 2) throw new PrimordialTypeError(`Invalid header: length must be 2, but is ${texts.length}`);
    fields[fields.length] = [texts[0] ?? "", texts[1] ?? ""];
  }
  return fields;
}

function fromRecord(record: object): Given[] {
  const keys = reflectOwnKeys(record);
  const fields = bareList<Given>();
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    if (key === undefined || !objectIsEnumerable(record, key)) continue;
    fields[fields.length] = [toByteString(key), toByteString(reflectGet(record, key))];
  }
  return fields;
}

/** WebIDL's `ByteString`. @throws {TypeError} if a character is above U+00FF */
export function toByteString(value: unknown): string {
  const text = toDomString(value);
  for (let index = 0; index < text.length; index++) {
    if (stringCharCodeAt(text, index) > 0xff) throw new PrimordialTypeError(`${inspect(text)} is not a valid ByteString`);
  }
  return text;
}

function toField(name: unknown, value: unknown): HeaderField {
  const text = toByteString(name);
  const content = trimSpace(toByteString(value));
  const lower = toName(text);
  for (let index = 0; index < content.length; index++) {
    const code = stringCharCodeAt(content, index);
    if (code === 0 || code === 0x0a || code === 0x0d) throw new PrimordialTypeError(`Invalid header value: "${content}"`);
  }
  return { name: lower, value: content };
}

function toName(name: unknown): string {
  const text = toByteString(name);
  if (!isToken(text)) throw new PrimordialTypeError(`Invalid header name: ${inspect(text)}`);
  return stringToLowerCase(text);
}

function combined(list: readonly HeaderField[], name: string): string | null {
  let text: string | null = null;
  for (let index = 0; index < list.length; index++) {
    const field = list[index];
    if (field?.name === name) text = text === null ? field.value : `${text}, ${field.value}`;
  }
  return text;
}

/** Replaces all fields of the name by one, at the place of the first. */
export function setField(list: HeaderField[], field: HeaderField): void {
  let placed = false;
  let kept = 0;
  for (let index = 0; index < list.length; index++) {
    const known = list[index];
    if (known === undefined || (known.name === field.name && placed)) continue;
    list[kept++] = known.name === field.name ? field : known;
    placed ||= known.name === field.name;
  }
  if (!placed) list[kept++] = field;
  list.length = kept;
}

function keep(list: HeaderField[], test: (field: HeaderField) => boolean): void {
  let kept = 0;
  for (let index = 0; index < list.length; index++) {
    const field = list[index];
    if (field !== undefined && test(field)) list[kept++] = field;
  }
  list.length = kept;
}

/** Sorts and combines fields (https://fetch.spec.whatwg.org/#concept-header-list-sort-and-combine). */
function sortAndCombine(list: readonly HeaderField[]): HeaderField[] {
  const sorted = bareList<HeaderField>();
  const seen: Record<string, boolean> = bareObject();
  for (let index = 0; index < list.length; index++) {
    const { name = "", value = "" } = list[index] ?? {};
    if (name === "set-cookie") sorted[sorted.length] = { name, value };
    else if (seen[name] !== true) sorted[sorted.length] = { name, value: combined(list, name) ?? "" };
    seen[name] = true;
  }
  return arraySort(sorted, (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function at(list: readonly HeaderField[], index: number): HeaderField | undefined {
  return index < list.length ? list[index] : undefined;
}

export function installHeaders(global: object): void {
  Reflect.deleteProperty(Headers, "access");
  exposeInterface(global, "Headers", Headers);
  Reflect.defineProperty(Headers, "length", { value: 0, configurable: true });
  define(Headers.prototype, iterator, Headers.prototype.entries);
  installPairIterator(ITERATOR);
  showAs((value) => {
    if (!isHeaders(value)) return undefined;
    const members: Record<string, unknown> = bareObject();
    const fields = sortAndCombine(headerFields(value));
    for (let index = 0; index < fields.length; index++) {
      const { name = "", value: content = "" } = fields[index] ?? {};
      // Only cookies may occur more than once.
      members[name] = index > 0 && fields[index - 1]?.name === name ? `${members[name] as string}, ${content}` : content;
    }
    return { name: "Headers", members };
  });
}
