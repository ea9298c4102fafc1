/** The methods of numbers, dates, strings and lists that depend on a locale (https://tc39.es/ecma402/#locale-sensitive-functions). */

import { compareAscii } from "./collate-ascii.ts";
import { askIntl, localesField, numberArgument, numericArgument, optionsField, stateOf } from "./intl-message.ts";
import { quoteJson } from "../language/json-text.ts";
import {
  arrayJoin,
  bareList,
  bigIntValueOf,
  type Callable,
  dateGetTime,
  define,
  iteratorPrototype,
  numberValueOf,
  objectKeys,
  PrimordialDate,
  PrimordialNumber,
  PrimordialObject,
  PrimordialString,
  PrimordialTypeError,
  PrimordialUint8Array,
  reflectApply,
  reflectGet,
  reflectGetPrototypeOf,
  typedArrayLength,
} from "../language/primordials.ts";
import { nameFunction, toDomString } from "../web/webidl.ts";

interface OptionNames {
  readonly numbers: readonly string[];
  readonly dates: readonly string[];
  readonly collator: readonly string[];
}

/** @param given in method syntax, because methods are not constructors */
function addMethods(prototype: object, given: Readonly<Record<string, Callable>>, length = 0): void {
  for (const name of objectKeys(given)) {
    const act = given[name];
    if (act === undefined) continue;
    nameFunction(act, name, length);
    define(prototype, name, act);
  }
}

/** Installs the methods at boot. */
export function installLocaleMethods({ numbers, dates, collator }: OptionNames): void {
  const formatNumber = (value: number | bigint, locales: unknown, options: unknown): unknown =>
    askIntl("call", stateOf("NumberFormat", localesField(locales) + optionsField(options, numbers)).fields, "format", [
      numericArgument(value),
    ]);
  addMethods(PrimordialNumber.prototype, {
    toLocaleString(this: unknown, locales?: unknown, options?: unknown): unknown {
      return formatNumber(numberValueOf(this), locales, options);
    },
  });
  addMethods(BigInt.prototype, {
    toLocaleString(this: unknown, locales?: unknown, options?: unknown): unknown {
      return formatNumber(bigIntValueOf(this), locales, options);
    },
  });
  for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
    addMethods(PrimordialDate.prototype, {
      [name](this: unknown, locales?: unknown, options?: unknown): unknown {
        const time = dateGetTime(this);
        // An invalid date is the same text in every language.
        if (time !== time) return "Invalid Date";
        return askIntl("value", `"c":""${localesField(locales)}${optionsField(options, dates)}`, name, [numberArgument(time)]);
      },
    });
  }
  const comparing = {
    localeCompare(this: unknown, that: unknown, locales?: unknown, options?: unknown): unknown {
      const a = wholeText(this);
      const b = toDomString(that);
      const known = locales === undefined && options === undefined ? compareAscii(a, b) : undefined;
      if (known !== undefined) return known;
      const { fields } = stateOf("Collator", localesField(locales) + optionsField(options, collator));
      return askIntl("call", fields, "compare", [quoteJson(a), quoteJson(b)]);
    },
  };
  addMethods(PrimordialString.prototype, comparing, 1);
  for (const [name, plain] of [
    ["toLocaleUpperCase", String.prototype.toUpperCase],
    ["toLocaleLowerCase", String.prototype.toLowerCase],
  ] as const) {
    addMethods(PrimordialString.prototype, {
      [name](this: unknown, locales?: unknown): unknown {
        const text = wholeText(this);
        return locales === undefined
          ? reflectApply(plain, text, [])
          : askIntl("value", `"c":""${localesField(locales)}`, name, [quoteJson(text)]);
      },
    });
  }
  addMethods(Array.prototype, joinLocally(elementsOf));
  addMethods(
    reflectGetPrototypeOf(PrimordialUint8Array.prototype) ?? iteratorPrototype,
    joinLocally((self) => [self as object, typedArrayLength(self)]),
  );
}

function wholeText(value: unknown): string {
  if (value === undefined || value === null) throw new PrimordialTypeError("String.prototype method called on null or undefined");
  return toDomString(value);
}

function elementsOf(self: unknown): [object, number] {
  if (self === undefined || self === null) throw new PrimordialTypeError("Cannot convert undefined or null to object");
  const list = PrimordialObject(self) as object;
  return [list, +(reflectGet(list, "length") as number) || 0];
}

/** Lists that are being joined: a list that contains itself is empty there. */
const open: object[] = bareList<object>();

/** The engine's own method does not pass the locale to the elements. */
function joinLocally(read: (self: unknown) => [object, number]): Readonly<Record<"toLocaleString", Callable>> {
  return {
    toLocaleString(this: unknown, locales?: unknown, options?: unknown): string {
      const [list, length] = read(this);
      for (let index = 0; index < open.length; index++) if (open[index] === list) return "";
      open[open.length] = list;
      try {
        const parts = bareList<string>();
        for (let index = 0; index < length; index++) {
          const element = reflectGet(list, `${index}`);
          if (element === undefined || element === null) parts[index] = "";
          else parts[index] = toDomString(localText(element, locales, options));
        }
        return arrayJoin(parts, ",");
      } finally {
        open.length -= 1;
      }
    },
  };
}

function localText(element: {}, locales: unknown, options: unknown): unknown {
  const write: unknown = (element as { readonly toLocaleString?: unknown }).toLocaleString;
  if (typeof write !== "function") throw new PrimordialTypeError("toLocaleString is not a function");
  return reflectApply(write as Callable, element, [locales, options]);
}
