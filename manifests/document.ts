/** Reads JSON documents of ours field by field, and lists everything that is wrong with them at once. */

import { findHiddenText } from "./hidden-text.ts";
import { isJsonObject, pointerToken, type JsonObject, type JsonValue } from "./json.ts";
import { printable } from "./names.ts";
import type { LocatedJson, TextPosition } from "./parse-json.ts";
import type { Parsed, Problem } from "./problem.ts";
import { nearest } from "./suggest.ts";

const MAX_PROBLEMS = 200;

/** The problems of one document, each with its place in the text. */
export class DocumentReader {
  readonly #located: LocatedJson;
  readonly #toOriginal: (pointer: string) => string;
  readonly #problems: Problem[] = [];
  /** Places that have been refused for good; what else is wrong there follows from it. */
  readonly #settled = new Set<string>();

  /** `toOriginal` turns a pointer into a normalised document into one into the text. */
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

  /** Adds problems that another check found, with their places. */
  adopt(problems: readonly Problem[]): void {
    for (const problem of problems) this.#add(problem);
  }

  /** Adds what a conversion found, with pointers into the original; nothing more is said about the places of its errors. */
  adoptOriginal(problems: readonly Problem[]): void {
    for (const problem of problems) {
      this.#put(problem);
      if (problem.severity === "error") this.#settled.add(problem.pointer);
    }
  }

  /** Refuses every key and text of the document that holds hidden characters (SPEC M5). */
  refuseHiddenText(): void {
    this.#searchHidden(this.#located.value, "");
  }

  /** The members of the object at `pointer`, after refusing unknown and missing ones; undefined if it is none. */
  fields(value: JsonValue | undefined, pointer: string, shape: Shape): Fields | undefined {
    if (!isJsonObject(value)) {
      this.refuse(pointer, `${shape.what} is not an object`, "write { … }");
      return undefined;
    }
    for (const key of Object.keys(value)) {
      if (shape.known.includes(key)) continue;
      this.refuse(
        `${pointer}/${pointerToken(key)}`,
        `Field "${printable(key)}" is unknown in ${lower(shape.what)}`,
        nearest(key, shape.known),
        "key",
      );
    }
    for (const key of shape.required ?? []) {
      if (!Object.hasOwn(value, key)) this.refuse(pointer, `${shape.what} has no "${key}"`, `add "${key}"`);
    }
    return new Fields(this, value, pointer);
  }

  /** The value if there was no error, with the warnings; else every problem in the order of the text. */
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
    // One member of the older spelling may stand for several of ours, each with the same problem.
    if (this.#problems.some((known) => known.pointer === problem.pointer && known.message === problem.message)) return;
    const { severity, pointer, ...rest } = problem;
    this.#problems.push({ severity, pointer, ...this.#place(pointer, part), ...rest });
  }

  /** Where `pointer` leads, or the nearest place around it that is in the text. */
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
    // The document as it stands in the text is searched, so the pointer needs no way back.
    const message = `${what} holds ${hidden.description} at index ${hidden.index}`;
    this.#put({ severity: "error", pointer, message, fix: "remove it" }, what === "Key" ? "key" : "value");
    this.#settled.add(pointer);
  }
}

/** What an object of a document may hold. */
export interface Shape {
  /** Named in messages, with a capital: `Tool`. */
  readonly what: string;
  readonly known: readonly string[];
  readonly required?: readonly string[];
}

/** One object of a document. Every reader answers undefined where the member is absent or has been refused. */
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

  /** A text that is not blank; `check` gives a reason to refuse it. */
  text(key: string, check: (text: string) => string | undefined = () => undefined): string | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (typeof value !== "string" || value.trim() === "") return this.#wrong(key, "a text", "write a text that is not empty");
    const reason = check(value);
    if (reason === undefined) return value;
    this.#reader.refuse(this.at(key), ...splitAdvice(reason));
    return undefined;
  }

  flag(key: string): boolean | undefined {
    const value = this.get(key);
    return value === undefined || typeof value === "boolean" ? value : this.#wrong(key, "true or false", "write true or false");
  }

  /** A whole number from 1 to `most`. */
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

  /** A list whose items `read` turns into values; items it answers undefined for are left out. */
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

  /** A list of texts that are not empty. */
  texts(key: string, check: (text: string) => string | undefined = () => undefined): readonly string[] | undefined {
    return this.list(key, (item, pointer) => {
      const reason = typeof item === "string" && item.trim() !== "" ? check(item) : "Is not a text; write a text that is not empty";
      if (reason === undefined && typeof item === "string") return item;
      this.#reader.refuse(pointer, ...splitAdvice(reason ?? ""));
      return undefined;
    });
  }

  choices<T extends string>(key: string, choices: readonly T[]): readonly T[] | undefined {
    return this.list(key, (item, pointer) => {
      const choice = choices.find((known) => known === item);
      if (choice === undefined) {
        const shown = typeof item === "string" ? `"${printable(item)}" is unknown here` : "Is not a text";
        this.#reader.refuse(pointer, shown, typeof item === "string" ? nearest(item, choices) : `write one of ${choices.join(", ")}`);
      }
      return choice;
    });
  }

  /** An object that is kept as it is. */
  object(key: string): JsonObject | undefined {
    const value = this.get(key);
    return value === undefined || isJsonObject(value) ? value : this.#wrong(key, "an object", "write { … }");
  }

  /** An object from outside keys to values that `read` makes; made without a prototype. */
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

/** `object` without the members that are undefined. */
export function compact<T extends object>(object: T): { readonly [K in keyof T]: Exclude<T[K], undefined> } {
  // What is left are the members that are there; under exactOptionalPropertyTypes an optional one may be absent.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** Freezes a JSON-like value and all that it holds. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** Reasons end in "; write …": the advice is the fix. What comes from outside stands before it, and `printable` leaves no "; " in it. */
export function splitAdvice(reason: string): [message: string, fix?: string] {
  const at = reason.lastIndexOf("; ");
  return at === -1 ? [reason] : [reason.slice(0, at), reason.slice(at + 2)];
}

/** For a sentence in the middle of another; names and values in it stay as they are. */
export function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
