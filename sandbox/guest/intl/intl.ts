/**
 * `Intl` (https://tc39.es/ecma402/): the objects hold locale and options, the worker knows the languages.
 *
 * No request is sent until a program creates an object. Each class is a row of `CLASSES`.
 */

import { compareAscii, isPlainCollator } from "./collate-ascii.ts";
import { askIntl, type IntlState, localesField, numberArgument, numericArgument, optionsField, stateOf } from "./intl-message.ts";
import { createLocale } from "./intl-locale.ts";
import { prepareSegments, segmentText } from "./intl-segmenter.ts";
import { installLocaleMethods } from "./intl-values.ts";
import { listToJson, quoteJson } from "../language/json-text.ts";
import {
  argumentAt,
  arrayJoin,
  bareList,
  type Callable,
  dateNow,
  define,
  PrimordialTypeError,
  reflectConstruct,
  reflectDefineProperty,
  reflectGet,
} from "../language/primordials.ts";
import { forEachItem, nameFunction, tag, toDomString } from "../web/webidl.ts";

type Act = (state: IntlState, args: readonly unknown[]) => unknown;

interface IntlClass {
  readonly name: string;
  readonly options: readonly string[];
  readonly methods: Readonly<Record<string, Act>>;
  /** Getter that returns the method bound, like `format` and `compare` of the older classes. */
  readonly bound?: string;
  /** Whether the class can be called without `new`, like the older classes. */
  readonly callable?: boolean;
  /** Whether its options are required. */
  readonly needsOptions?: boolean;
}

/** Returns a method that requests the worker's method of the same name, with the arguments converted by `write`. */
function asking(method: string, ...write: readonly ((value: unknown) => string)[]): Act {
  return (state, args) => {
    const written = bareList<string>();
    for (let index = 0; index < write.length; index++) {
      const text = write[index]?.(index < args.length ? args[index] : undefined);
      if (text !== undefined) written[index] = text;
    }
    return askIntl("call", state.fields, method, written);
  };
}

const text = (value: unknown): string => quoteJson(toDomString(value));
const number = (value: unknown): string => numberArgument(+(value as number));
/** An absent time means now. */
const time = (value: unknown): string => numberArgument(value === undefined ? dateNow() : +(value as number));
const givenTime = (value: unknown): string => {
  if (value === undefined) throw new PrimordialTypeError("startDate or endDate cannot be undefined");
  return time(value);
};
const texts = (value: unknown): string => {
  const list = bareList<string>();
  if (value === undefined) return "[]";
  forEachItem(value, "The list is not iterable", (item) => {
    if (typeof item !== "string") throw new PrimordialTypeError("Iterable yielded a value which is not a string");
    list[list.length] = item;
  });
  return listToJson(list);
};

const compareInWorker = asking("compare", text, text);

function compare(state: IntlState, args: readonly unknown[]): unknown {
  const a = toDomString(argumentAt(args, 0));
  const b = toDomString(argumentAt(args, 1));
  return (state.isPlain ? compareAscii(a, b) : undefined) ?? compareInWorker(state, [a, b]);
}

const UNITS = ["years", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];

const duration = (value: unknown): string => {
  if (typeof value !== "object" || value === null) throw new PrimordialTypeError("A duration is an object with units");
  const members = bareList<string>();
  for (let index = 0; index < UNITS.length; index++) {
    const unit = UNITS[index] ?? "";
    const amount = reflectGet(value, unit);
    if (amount !== undefined) members[members.length] = `"${unit}":${quoteJson(`${+(amount as number)}`)}`;
  }
  return `{"d":{${arrayJoin(members, ",")}}}`;
};

const DIGITS = ["minimumIntegerDigits", "minimumFractionDigits", "maximumFractionDigits", "minimumSignificantDigits"];
const MORE_DIGITS = ["maximumSignificantDigits", "roundingIncrement", "roundingMode", "roundingPriority", "trailingZeroDisplay"];
/** Options of `Intl.NumberFormat`. */
const NUMBER_OPTIONS: readonly string[] = [
  ...["localeMatcher", "numberingSystem", "style", "currency", "currencyDisplay", "currencySign", "unit", "unitDisplay", "notation"],
  ...[...DIGITS, ...MORE_DIGITS, "compactDisplay", "useGrouping", "signDisplay"],
];
/** Options of `Intl.DateTimeFormat`. */
const DATE_OPTIONS: readonly string[] = [
  ...["localeMatcher", "calendar", "numberingSystem", "hour12", "hourCycle", "timeZone", "weekday", "era", "year", "month", "day"],
  ...["dayPeriod", "hour", "minute", "second", "fractionalSecondDigits", "timeZoneName", "formatMatcher", "dateStyle", "timeStyle"],
];
/** Options of `Intl.Collator`. */
const COLLATOR_OPTIONS: readonly string[] = [
  ...["usage", "localeMatcher", "collation", "numeric", "caseFirst", "sensitivity", "ignorePunctuation"],
];

const CLASSES: readonly IntlClass[] = [
  {
    name: "DateTimeFormat",
    options: DATE_OPTIONS,
    bound: "format",
    callable: true,
    methods: {
      format: asking("format", time),
      formatToParts: asking("formatToParts", time),
      formatRange: asking("formatRange", givenTime, givenTime),
      formatRangeToParts: asking("formatRangeToParts", givenTime, givenTime),
    },
  },
  {
    name: "NumberFormat",
    options: NUMBER_OPTIONS,
    bound: "format",
    callable: true,
    methods: {
      format: asking("format", numericArgument),
      formatToParts: asking("formatToParts", numericArgument),
      formatRange: asking("formatRange", numericArgument, numericArgument),
      formatRangeToParts: asking("formatRangeToParts", numericArgument, numericArgument),
    },
  },
  { name: "Collator", options: COLLATOR_OPTIONS, bound: "compare", callable: true, methods: { compare } },
  {
    name: "PluralRules",
    options: ["localeMatcher", "type", "notation", "compactDisplay", ...DIGITS, ...MORE_DIGITS],
    methods: { select: asking("select", number), selectRange: asking("selectRange", number, number) },
  },
  {
    name: "RelativeTimeFormat",
    options: ["localeMatcher", "numberingSystem", "style", "numeric"],
    methods: { format: asking("format", number, text), formatToParts: asking("formatToParts", number, text) },
  },
  {
    name: "ListFormat",
    options: ["localeMatcher", "type", "style"],
    methods: { format: asking("format", texts), formatToParts: asking("formatToParts", texts) },
  },
  {
    name: "DisplayNames",
    options: ["localeMatcher", "style", "type", "fallback", "languageDisplay"],
    needsOptions: true,
    methods: { of: asking("of", text) },
  },
  {
    name: "Segmenter",
    options: ["localeMatcher", "granularity"],
    methods: { segment: (state, args) => segmentText(state, args[0]) },
  },
  {
    name: "DurationFormat",
    options: ["localeMatcher", "numberingSystem", "style", "fractionalDigits", ...durationStyles()],
    methods: { format: asking("format", duration), formatToParts: asking("formatToParts", duration) },
  },
];

function durationStyles(): string[] {
  return UNITS.flatMap((unit) => [unit, `${unit}Display`]);
}

/** Base of every `Intl` object of the prelude. */
class Instance {
  #state: IntlState;
  #bound: unknown;

  constructor(state: IntlState) {
    this.#state = state;
  }

  static stateOf(this: void, value: unknown, name: string): IntlState {
    if (typeof value === "object" && value !== null && #state in value && value.#state.name === name) return value.#state;
    throw new PrimordialTypeError(`Method called on an object that is not an Intl.${name}`);
  }

  /** Returns the same function for the same instance. */
  static bind(this: void, value: Instance, make: () => Callable): unknown {
    value.#bound ??= make();
    return value.#bound;
  }
}

const { stateOf: stateOfInstance, bind } = Instance;

function createClass({ name, options, methods, bound, callable = false, needsOptions = false }: IntlClass): Callable {
  const constructor = function (this: unknown, locales?: unknown, given?: unknown): object {
    if (new.target === undefined && !callable) throw new PrimordialTypeError(`Constructor Intl.${name} requires 'new'`);
    if (needsOptions && given === undefined) throw new PrimordialTypeError("Cannot convert undefined or null to object");
    const asked = stateOf(name, localesField(locales) + optionsField(given, options));
    // The worker refuses invalid locales and options.
    const resolved = askIntl("call", asked.fields, "resolvedOptions");
    const state = { ...asked, isPlain: name === "Collator" && isPlainCollator(resolved) };
    // `construct` is the only caller of a class.
    return reflectConstruct(Instance as unknown as Callable, [state], new.target ?? constructor);
  };
  const { prototype } = constructor;
  for (const method of Object.keys(methods)) {
    const act = methods[method];
    if (act === undefined) continue;
    const { call } = {
      call(this: unknown, ...args: unknown[]): unknown {
        return act(stateOfInstance(this, name), args);
      },
    };
    nameFunction(call, method, LENGTHS[method] ?? 1);
    if (method === bound) defineBound(prototype as object, { name, method, act });
    else define(prototype as object, method, call);
  }
  const { resolvedOptions } = {
    resolvedOptions(this: unknown): unknown {
      return askIntl("call", stateOfInstance(this, name).fields, "resolvedOptions");
    },
  };
  nameFunction(resolvedOptions, "resolvedOptions", 0);
  define(prototype as object, "resolvedOptions", resolvedOptions);
  tag(prototype as object, `Intl.${name}`);
  const supportedLocalesOf = (locales: unknown, given?: unknown): unknown =>
    askIntl("static", `"c":"${name}"${localesField(locales)}${optionsField(given, ["localeMatcher"])}`, "supportedLocalesOf");
  nameFunction(supportedLocalesOf, "supportedLocalesOf", 1);
  define(constructor, "supportedLocalesOf", supportedLocalesOf);
  reflectDefineProperty(constructor, "prototype", { writable: false });
  define(prototype as object, "constructor", constructor);
  nameFunction(constructor, name, needsOptions ? 2 : 0);
  return constructor;
}

const LENGTHS: Readonly<Record<string, number>> = { formatRange: 2, formatRangeToParts: 2, selectRange: 2, compare: 2 };

interface BoundMethod {
  readonly name: string;
  readonly method: string;
  readonly act: Act;
}

function defineBound(prototype: object, { name, method, act }: BoundMethod): void {
  const { get } = {
    get(this: Instance): unknown {
      const state = stateOfInstance(this, name);
      return bind(this, () => {
        const call = (...args: unknown[]): unknown => act(state, args);
        nameFunction(call, "", LENGTHS[method] ?? 1);
        return call;
      });
    },
  };
  nameFunction(get, `get ${method}`);
  reflectDefineProperty(prototype, method, { get, enumerable: false, configurable: true });
}

export function installIntl(global: object): void {
  const intl = {};
  const add = (name: string, value: Callable): void => {
    nameFunction(value, name, 1);
    define(intl, name, value);
  };
  add("getCanonicalLocales", (locales: unknown) => askIntl("static", `"c":""${localesField(locales)}`, "getCanonicalLocales"));
  add("supportedValuesOf", (key: unknown) => askIntl("static", `"c":""`, "supportedValuesOf", [text(key)]));
  for (const described of CLASSES) define(intl, described.name, createClass(described));
  define(intl, "Locale", createLocale());
  prepareSegments();
  tag(intl, "Intl");
  define(global, "Intl", intl);
  installLocaleMethods({ numbers: NUMBER_OPTIONS, dates: DATE_OPTIONS, collator: COLLATOR_OPTIONS });
}
