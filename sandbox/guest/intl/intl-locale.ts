/** `Intl.Locale` (https://tc39.es/ecma402/#locale-objects). */

import { askIntl, knowLocales, optionsField, toTag } from "./intl-message.ts";
import { quoteJson } from "../language/json-text.ts";
import { define, PrimordialTypeError, reflectDefineProperty } from "../language/primordials.ts";
import { nameFunction, tag } from "../web/webidl.ts";

const OPTIONS = [
  "language",
  "script",
  "region",
  "variants",
  "calendar",
  "collation",
  "firstDayOfWeek",
  "hourCycle",
  "caseFirst",
  "numeric",
];
const MORE_OPTIONS = ["numberingSystem"];

/** Getters, and the worker's names for them. */
const MEMBERS = [
  "language",
  "script",
  "region",
  "baseName",
  "calendar",
  "caseFirst",
  "collation",
  "firstDayOfWeek",
  "hourCycle",
  "numeric",
];
const MORE_MEMBERS = ["numberingSystem", "variants"];

const LISTS = ["getCalendars", "getCollations", "getHourCycles", "getNumberingSystems", "getTimeZones", "getTextInfo", "getWeekInfo"];

type Facts = Readonly<Record<string, unknown>>;

class Locale {
  #facts: Facts;

  constructor(given?: unknown, options?: unknown) {
    if (typeof given !== "string" && (typeof given !== "object" || given === null)) {
      throw new PrimordialTypeError("First argument to Intl.Locale constructor can't be empty or missing");
    }
    // The worker answers with an object of these members and the whole tag.
    this.#facts = askIntl("locale", localeField(toTag(given)) + optionsField(options, [...OPTIONS, ...MORE_OPTIONS])) as Facts;
  }

  static factsOf(this: void, value: unknown): Facts | undefined {
    return typeof value === "object" && value !== null && #facts in value ? value.#facts : undefined;
  }
}

const { factsOf } = Locale;

function localeField(tagText: string): string {
  return `"l":[${quoteJson(tagText)}]`;
}

function tagOf(value: unknown): string | undefined {
  return factsOf(value)?.["tag"] as string | undefined;
}

function requireTag(value: unknown): string {
  const found = tagOf(value);
  if (found === undefined) throw new PrimordialTypeError("Method called on an object that is not an Intl.Locale");
  return found;
}

/** Creates the class at boot. */
export function createLocale(): object {
  knowLocales(tagOf);
  Reflect.deleteProperty(Locale, "factsOf");
  const { prototype } = Locale;
  for (const name of [...MEMBERS, ...MORE_MEMBERS]) {
    const get = function (this: unknown): unknown {
      requireTag(this);
      return factsOf(this)?.[name];
    };
    nameFunction(get, `get ${name}`);
    reflectDefineProperty(prototype, name, { get, enumerable: false, configurable: true });
  }
  const method = (name: string, act: (found: string) => unknown): void => {
    const call = function (this: unknown): unknown {
      return act(requireTag(this));
    };
    nameFunction(call, name, 0);
    define(prototype, name, call);
  };
  method("toString", (found) => found);
  for (const name of ["maximize", "minimize"]) method(name, (found) => new Locale(askIntl("locale", localeField(found), name)));
  for (const name of LISTS) method(name, (found) => askIntl("locale", localeField(found), name));
  nameFunction(Locale, "Locale", 1);
  tag(prototype, "Intl.Locale");
  return Locale;
}
