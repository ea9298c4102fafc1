/** `FormData` (https://xhr.spec.whatwg.org/#interface-formdata). */

import { blobBytes, blobType, createFile, type File, isBlob, isFile } from "./blob.ts";
import { installPairIterator, iteratePairs } from "./pair-iterator.ts";
import {
  bareList,
  bareObject,
  type Callable,
  define,
  PrimordialSymbol,
  PrimordialTypeError,
  reflectApply,
} from "../language/primordials.ts";
import { exposeInterface, requireArguments, showAs, toUsvString } from "./webidl.ts";

const { iterator } = PrimordialSymbol;
const ITERATOR = "FormData Iterator";

export interface FormEntry {
  readonly name: string;
  readonly value: string | File;
}

class FormData {
  #entries: FormEntry[] = bareList<FormEntry>();

  constructor(form: unknown = undefined) {
    // A guest has no HTML forms to take fields from.
    if (form !== undefined) throw new PrimordialTypeError("Illegal constructor");
  }

  append(name: unknown, value: unknown, filename: unknown = undefined): void {
    requireArguments(arguments.length, 2, "execute 'append' on 'FormData'");
    this.#entries[this.#entries.length] = toEntry(name, value, filename);
  }

  delete(name: unknown): void {
    requireArguments(arguments.length, 1, "execute 'delete' on 'FormData'");
    const wanted = toUsvString(name);
    this.#keep((entry) => entry.name !== wanted);
  }

  get(name: unknown): string | File | null {
    requireArguments(arguments.length, 1, "execute 'get' on 'FormData'");
    return this.#find(toUsvString(name))?.value ?? null;
  }

  getAll(name: unknown): (string | File)[] {
    requireArguments(arguments.length, 1, "execute 'getAll' on 'FormData'");
    const wanted = toUsvString(name);
    const values: (string | File)[] = [];
    for (let index = 0; index < this.#entries.length; index++) {
      const entry = this.#entries[index];
      if (entry?.name === wanted) define(values, values.length, entry.value, true);
    }
    return values;
  }

  has(name: unknown): boolean {
    requireArguments(arguments.length, 1, "execute 'has' on 'FormData'");
    return this.#find(toUsvString(name)) !== undefined;
  }

  set(name: unknown, value: unknown, filename: unknown = undefined): void {
    requireArguments(arguments.length, 2, "execute 'set' on 'FormData'");
    const entry = toEntry(name, value, filename);
    const first = this.#find(entry.name);
    let kept = 0;
    for (let index = 0; index < this.#entries.length; index++) {
      const known = this.#entries[index];
      if (known === undefined || (known.name === entry.name && known !== first)) continue;
      this.#entries[kept++] = known === first ? entry : known;
    }
    if (first === undefined) this.#entries[kept++] = entry;
    this.#entries.length = kept;
  }

  entries(): object {
    return iteratePairs(ITERATOR, this.#entries, (entry) => [entry.name, entry.value]);
  }

  keys(): object {
    return iteratePairs(ITERATOR, this.#entries, (entry) => entry.name);
  }

  values(): object {
    return iteratePairs(ITERATOR, this.#entries, (entry) => entry.value);
  }

  forEach(callback: unknown, self: unknown = undefined): void {
    requireArguments(arguments.length, 1, "execute 'forEach' on 'FormData'");
    if (typeof callback !== "function") throw new PrimordialTypeError("The callback is not a function");
    for (let index = 0; index < this.#entries.length; index++) {
      const entry = this.#entries[index];
      if (entry !== undefined) reflectApply(callback as Callable, self, [entry.value, entry.name, this]);
    }
  }

  #find(name: string): FormEntry | undefined {
    for (let index = 0; index < this.#entries.length; index++) {
      const entry = this.#entries[index];
      if (entry?.name === name) return entry;
    }
    return undefined;
  }

  #keep(test: (entry: FormEntry) => boolean): void {
    let kept = 0;
    for (let index = 0; index < this.#entries.length; index++) {
      const entry = this.#entries[index];
      if (entry !== undefined && test(entry)) this.#entries[kept++] = entry;
    }
    this.#entries.length = kept;
  }

  /** Access to form data for bodies, removed from the class at boot. */
  static access = {
    isFormData: (value: object): value is FormData => #entries in value,
    entriesOf: (form: FormData): readonly FormEntry[] => form.#entries,
    create: (entries: FormEntry[]): FormData => {
      const form = new FormData();
      form.#entries = entries;
      return form;
    },
  };
}

const access = FormData.access;
export const isFormData: (value: object) => value is FormData = access.isFormData;
export const formEntries: (form: FormData) => readonly FormEntry[] = access.entriesOf;
/** Creates a form that owns the list. */
export const createFormData: (entries: FormEntry[]) => FormData = access.create;

/** https://xhr.spec.whatwg.org/#create-an-entry */
function toEntry(givenName: unknown, value: unknown, filename: unknown): FormEntry {
  const name = toUsvString(givenName);
  if (typeof value !== "object" || value === null || !isBlob(value)) return { name, value: toUsvString(value) };
  if (isFile(value) && filename === undefined) return { name, value };
  const lastModified = isFile(value) ? { lastModified: value.lastModified } : {};
  const file = createFile(blobBytes(value), filename === undefined ? "blob" : toUsvString(filename), {
    type: blobType(value),
    ...lastModified,
  });
  return { name, value: file };
}

export function installFormData(global: object): void {
  Reflect.deleteProperty(FormData, "access");
  exposeInterface(global, "FormData", FormData);
  Reflect.defineProperty(FormData, "length", { value: 0, configurable: true });
  define(FormData.prototype, iterator, FormData.prototype.entries);
  installPairIterator(ITERATOR);
  showAs((value) => {
    if (!isFormData(value)) return undefined;
    const members: Record<string, unknown> = bareObject();
    const entries = formEntries(value);
    for (let index = 0; index < entries.length; index++) members[entries[index]?.name ?? ""] = entries[index]?.value;
    return { name: "FormData", members };
  });
}
