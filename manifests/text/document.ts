/** Reads bascule's JSON documents field by field and collects all problems of a document. */

import { findHiddenText } from "./hidden-text.ts";
import { isJsonObject, pointerToken, type JsonObject, type JsonValue } from "./json.ts";
import { printable } from "./names.ts";
import type { LocatedJson, TextPosition } from "./parse-json.ts";
import type { Parsed, Problem } from "./problem.ts";
import { nearest } from "./suggest.ts";

const MAX_PROBLEMS = 200;

/** Collects the problems of one document, each with its place in the text. */
export class DocumentReader {
  readonly #located: LocatedJson;
  readonly #toOriginal: (pointer: string) => string;
  readonly #problems: Problem[] = [];
  /** Places that were refused; further problems there are consequences and are dropped. */
  readonly #settled = new Set<string>();

  /** `toOriginal` maps a pointer in a normalised document to the pointer in the text. */
  constructor(located: LocatedJson, toOriginal: (pointer: string) => string = (pointer) => pointer) {
    this.#located = located;
    this.#toOriginal = toOriginal;
  }

  /** Adds an error about the value at `pointer`, or about its member's key. */
  refuse(pointer: string, message: string, fix?: string, part?: "key"): void {
    this.#add({ severity: "error", pointer, message, ...(fix !== undefined && { fix }) }, part);
  }

  /** Adds a warning. */
  warn(pointer: string, message: string, fix?: string): void {
    this.#add({ severity: "warning", pointer, message, ...(fix !== undefined && { fix }) });
  }

  /** Adds problems of another check, with their places. */
  adopt(problems: readonly Problem[]): void {
    for (const problem of problems) this.#add(problem);
  }

  /** Adds problems of a conversion, whose pointers lead into the original. Later problems at the places of its errors are dropped. */
  adoptOriginal(problems: readonly Problem[]): void {
    for (const problem of problems) {
      this.#put(problem);
      if (problem.severity === "error") this.#settled.add(problem.pointer);
    }
  }

  /** Refuses every key and text of the document that contains hidden characters (SPEC M5). */
  refuseHiddenText(): void {
    this.#searchHidden(this.#located.value, "");
  }

  /** Returns the members of the object at `pointer` and refuses unknown and missing ones; undefined if the value is not an object. */
  fields(value: JsonValue | undefined, pointer: string, shape: Shape): Fields | undefined {
    if (!isJsonObject(value)) {
      this.refuse(pointer, `${shape.what} is not an object`, "write { … }");
      return undefined;
    }
    for (const key of Object.keys(value)) {
      if (shape.known.includes(key)) continue;
      this.refuse(
        `${pointer}/${pointerToken(key)}`,
        `Unknown field "${printable(key)}" in ${lower(shape.what)}`,
        nearest(key, shape.known),
        "key",
      );
    }
    for (const key of shape.required ?? []) {
      if (!Object.hasOwn(value, key)) this.refuse(pointer, `${shape.what} has no "${key}"`, `add "${key}"`);
    }
    return new Fields(this, value, pointer);
  }

  /** Returns the value and the warnings if there was no error, else every problem in the order of the text. */
  finish<T>(make: () => T): Parsed<T> {
    const problems = this.#problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
    if (problems.some((problem) => problem.severity === "error")) return { ok: false, problems };
    return { ok: true, value: make(), warnings: problems };
  }

  #add(problem: Problem, part?: "key"): void {
    this.#put({ ...problem, pointer: this.#toOriginal(problem.pointer) }, part);
  }

  #put(problem: Problem, part?: "key" | "value"): void {
    if (this.#problems.length >= MAX_PROBLEMS || this.#settled.has(problem.pointer)) return;
    // One member of the older spelling may stand for several canonical members, each with the same problem.
    if (this.#problems.some((known) => known.pointer === problem.pointer && known.message === problem.message)) return;
    const { severity, pointer, ...rest } = problem;
    this.#problems.push({ severity, pointer, ...this.#place(pointer, part), ...rest });
  }

  /** Returns the place of `pointer`, or of its nearest ancestor in the text. */
  #place(pointer: string, part?: "key" | "value"): TextPosition | undefined {
    const place = this.#located.locate(pointer, part);
    return place !== undefined || pointer === "" ? place : this.#place(pointer.slice(0, pointer.lastIndexOf("/")));
  }

  #searchHidden(value: JsonValue, pointer: string): void {
    if (typeof value === "string") this.#refuseHidden(value, pointer, "Text");
    else if (Array.isArray(value)) value.forEach((item: JsonValue, index) => this.#searchHidden(item, `${pointer}/${index}`));
    else if (isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        const place = `${pointer}/${pointerToken(key)}`;
        this.#refuseHidden(key, place, "Key");
        this.#searchHidden(item, place);
      }
    }
  }

  #refuseHidden(text: string, pointer: string, what: string): void {
    const hidden = findHiddenText(text);
    if (hidden === undefined) return;
    // Searches the original document, so the pointer needs no mapping.
    const message = `${what} contains ${hidden.description} at index ${hidden.index}`;
    this.#put({ severity: "error", pointer, message, fix: "remove it" }, what === "Key" ? "key" : "value");
    this.#settled.add(pointer);
  }
}

/** Members that an object of a document may have. */
interface Shape {
  /** Name in messages, capitalised: `Tool`. */
  readonly what: string;
  readonly known: readonly string[];
  readonly required?: readonly string[];
}

/** Reads one object of a document. Every reader returns undefined if the member is absent or was refused. */
export class Fields {
  readonly #reader: DocumentReader;
  readonly #object: JsonObject;
  readonly pointer: string;

  constructor(reader: DocumentReader, object: JsonObject, pointer: string) {
    this.#reader = reader;
    this.#object = object;
    this.pointer = pointer;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#object, key);
  }

  get(key: string): JsonValue | undefined {
    return this.has(key) ? this.#object[key] : undefined;
  }

  at(key: string): string {
    return `${this.pointer}/${pointerToken(key)}`;
  }

  /** Reads a string that is not blank; `check` returns a reason to refuse it. */
  text(key: string, check: (text: string) => string | undefined = () => undefined): string | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (typeof value !== "string" || value.trim() === "") return this.#wrong(key, "a string", "write a string that is not empty");
    const reason = check(value);
    if (reason === undefined) return value;
    this.#reader.refuse(this.at(key), ...splitAdvice(reason));
    return undefined;
  }

  flag(key: string): boolean | undefined {
    const value = this.get(key);
    return value === undefined || typeof value === "boolean" ? value : this.#wrong(key, "true or false", "write true or false");
  }

  /** Reads a whole number from 1 to `most`. */
  count(key: string, most: number = Number.MAX_SAFE_INTEGER): number | undefined {
    const value = this.get(key);
    if (value === undefined || (typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= most)) return value;
    return this.#wrong(
      key,
      most === Number.MAX_SAFE_INTEGER ? "a whole number above 0" : `a whole number from 1 to ${most}`,
      "write such a number",
    );
  }

  choice<T extends string>(key: string, choices: readonly T[]): T | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    const choice = choices.find((known) => known === value);
    const all = choices.map((known) => `"${known}"`).join(", ");
    return (
      choice ??
      this.#wrong(
        key,
        choices.length === 1 ? all : `one of ${all}`,
        typeof value === "string" && choices.length > 1 ? nearest(value, choices) : `write ${all}`,
      )
    );
  }

  /** Reads a list whose items `read` converts; items for which it returns undefined are left out. */
  list<T>(key: string, read: (item: JsonValue, pointer: string) => T | undefined, most: number = 256): readonly T[] | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.#wrong(key, "a list", "write [ … ]");
    if (value.length > most) return this.#wrong(key, `a list of at most ${most} items`, "write fewer");
    return value.flatMap((item: JsonValue, index) => {
      const made = read(item, `${this.at(key)}/${index}`);
      return made === undefined ? [] : [made];
    });
  }

  /** Reads a list of strings that are not empty. */
  texts(key: string, check: (text: string) => string | undefined = () => undefined): readonly string[] | undefined {
    return this.list(key, (item, pointer) => {
      const reason = typeof item === "string" && item.trim() !== "" ? check(item) : "Is not a string; write a string that is not empty";
      if (reason === undefined && typeof item === "string") return item;
      this.#reader.refuse(pointer, ...splitAdvice(reason ?? ""));
      return undefined;
    });
  }

  choices<T extends string>(key: string, choices: readonly T[]): readonly T[] | undefined {
    return this.list(key, (item, pointer) => {
      const choice = choices.find((known) => known === item);
      if (choice === undefined) {
        const shown = typeof item === "string" ? `Unknown value "${printable(item)}"` : "Is not a string";
        this.#reader.refuse(pointer, shown, typeof item === "string" ? nearest(item, choices) : `write one of ${choices.join(", ")}`);
      }
      return choice;
    });
  }

  /** Reads an object without looking inside. */
  object(key: string): JsonObject | undefined {
    const value = this.get(key);
    return value === undefined || isJsonObject(value) ? value : this.#wrong(key, "an object", "write { … }");
  }

  /** Reads an object with keys from outside, whose values `read` converts; the result has no prototype. */
  record<T>(key: string, read: (value: JsonValue, pointer: string, key: string) => T | undefined): Readonly<Record<string, T>> | undefined {
    const object = this.object(key);
    if (object === undefined) return undefined;
    const record = Object.create(null) as Record<string, T>;
    for (const [name, value] of Object.entries(object)) {
      const made = read(value, `${this.at(key)}/${pointerToken(name)}`, name);
      if (made !== undefined) record[name] = made;
    }
    return record;
  }

  #wrong(key: string, wanted: string, fix: string): undefined {
    this.#reader.refuse(this.at(key), `"${key}" is not ${wanted}`, fix);
    return undefined;
  }
}

/** Copies `object` without undefined members. */
export function compact<T extends object>(object: T): { readonly [K in keyof T]: Exclude<T[K], undefined> } {
  // Only present members are left; under exactOptionalPropertyTypes an optional member may be absent.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** Freezes a JSON-like value deeply. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** Splits a reason at "; ": the advice becomes the fix. Values from outside stand before it, and `printable` removes "; " from them. */
export function splitAdvice(reason: string): [message: string, fix?: string] {
  const at = reason.lastIndexOf("; ");
  return at === -1 ? [reason] : [reason.slice(0, at), reason.slice(at + 2)];
}

/** Lower-cases the first letter for use inside a sentence; names and values stay as they are. */
export function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
