/**
 * `Intl` for guests, answered by the runtime's ICU (https://tc39.es/ecma402/).
 *
 * A formatter is created from a locale and options, which the guest sends with every operation. So no guest state is kept here, except
 * for a small cache of formatters. One table lists the classes and methods that a guest may use.
 */

import {
  type Fields,
  goOn,
  type LocalAnswer,
  type LocalEnvironment,
  type LocalOperation,
  readJson,
  Refusal,
  valueAnswer,
} from "./local-answer.ts";
import { nestsWithin } from "../../wire/marshal.ts";

/** Format of a request: `{ c: class, l: locales, o: options, m: method, a: arguments }`; locales, options and arguments are optional. Maximum characters of a request: */
const MAX_TEXT = 256 * 1024;
/** Maximum text to segment. Segments are counted one by one, and the limits are checked in between. */
const MAX_SEGMENTED_TEXT = 1024 * 1024;
const SEGMENTS_A_LOOK = 5_000;
const MAX_DEPTH = 5;
/**
 * The runtime takes quadratic time or worse for these, and cannot be interrupted: 30,000 variants in one tag take twelve seconds, 60,000
 * locales in a list fifteen.
 */
const MAX_LOCALES = 256;
const MAX_NAME = 255;
const MAX_LIST = 10_000;
/** Maximum digits and exponent of a number given as text. ICU would write every zero. */
const MAX_DIGITS = 10_000;
const MAX_EXPONENT = 400;
const MAX_MESSAGE = 300;

/** The guest's default locale, the same on every machine (`navigator.language`). */
const DEFAULT_LOCALE = "en-US";

type Locales = string | readonly string[];
type Options = Readonly<Record<string, unknown>>;

interface IntlClass {
  /** Creates an instance. The options come from the guest, and the runtime checks each of them. */
  readonly make: (locales: Locales, options: Options | undefined) => object;
  readonly methods: readonly string[];
}

/** Looked up by name, because `Intl.DurationFormat` and others are newer than TypeScript's types. */
function maker(name: string): IntlClass["make"] {
  return (locales, options) => {
    const constructor: unknown = Reflect.get(Intl, name);
    if (typeof constructor !== "function") throw new Refusal("NotSupported", `This runtime has no Intl.${name}`);
    return Reflect.construct(constructor, [locales, options]) as object;
  };
}

function intlClass(name: string, ...methods: readonly string[]): readonly [string, IntlClass] {
  return [name, { make: maker(name), methods: ["resolvedOptions", ...methods] }];
}

const CLASSES: ReadonlyMap<string, IntlClass> = new Map([
  intlClass("NumberFormat", "format", "formatToParts", "formatRange", "formatRangeToParts"),
  intlClass("DateTimeFormat", "format", "formatToParts", "formatRange", "formatRangeToParts"),
  intlClass("Collator", "compare"),
  intlClass("PluralRules", "select", "selectRange"),
  intlClass("RelativeTimeFormat", "format", "formatToParts"),
  intlClass("ListFormat", "format", "formatToParts"),
  intlClass("DisplayNames", "of"),
  intlClass("DurationFormat", "format", "formatToParts"),
  intlClass("Segmenter"),
]);

/** Operations by name. Part of `LOCAL_OPERATIONS`. */
export const INTL_OPERATIONS: Readonly<Record<string, LocalOperation>> = {
  "intl.call": (text) => answerOf(text, callMethod),
  "intl.segment": (text, _bytes, env) => answerOf(text, (fields) => segment(fields, env), MAX_SEGMENTED_TEXT),
  "intl.locale": (text) => answerOf(text, describeLocale),
  "intl.static": (text) => answerOf(text, callStatic),
  "intl.value": (text) => answerOf(text, callOfValue),
};

function answerOf(text: string, act: (fields: Fields) => unknown, maximum = MAX_TEXT): LocalAnswer {
  if (text.length > maximum) throw new Refusal("RangeError", `Intl takes at most ${maximum} characters at once (split the text)`);
  if (!nestsWithin(text, MAX_DEPTH)) throw notUnderstood();
  const fields = fieldsOf(readJson(text, maximum));
  try {
    const value = act(fields);
    return value === undefined ? { answer: "v" } : valueAnswer(value);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // The runtime's message only describes the locale, options or value that the guest sent.
    const name = error instanceof RangeError ? "RangeError" : "TypeError";
    throw new Refusal(name, error instanceof Error ? error.message.slice(0, MAX_MESSAGE) : "The arguments are not valid");
  }
}

function callMethod(fields: Fields): unknown {
  const { made, known } = findFormatter(fields);
  const name = known.methods.find((method) => method === fields.get("m"));
  if (name === undefined) throw notUnderstood();
  const args = argumentsOf(fields);
  // A language code is parsed like a locale.
  if (name === "of" && typeof args[0] === "string") requireName(args[0]);
  return callOn(made, name, args);
}

/** Returns segment boundaries. For words, also whether each segment is a word or between words. */
function segment(fields: Fields, env: LocalEnvironment): unknown {
  const { made } = findFormatter(fields);
  const [text] = argumentsOf(fields);
  if (!(made instanceof Intl.Segmenter) || typeof text !== "string") throw notUnderstood();
  const starts: number[] = [];
  const words: number[] = [];
  for (const { index, isWordLike } of made.segment(text)) {
    if (starts.push(index) % SEGMENTS_A_LOOK === 0) goOn(env);
    if (isWordLike !== undefined) words.push(isWordLike ? 1 : 0);
  }
  return { starts, words };
}

const LOCALE_MEMBERS = ["language", "script", "region", "baseName", "calendar", "caseFirst", "collation"];
const MORE_LOCALE_MEMBERS = ["firstDayOfWeek", "hourCycle", "numeric", "numberingSystem"];
const LOCALE_METHODS: readonly string[] = [
  ...["maximize", "minimize", "getCalendars", "getCollations", "getHourCycles", "getNumberingSystems"],
  ...["getTimeZones", "getTextInfo", "getWeekInfo"],
];

/** Returns all properties of a locale, or the result of a method if one is named. */
function describeLocale(fields: Fields): unknown {
  const [tag] = localesOf(fields);
  if (tag === undefined) throw notUnderstood();
  const locale = new Intl.Locale(tag, optionsOf(fields));
  const wanted = fields.get("m");
  if (wanted === undefined) {
    const members = [...LOCALE_MEMBERS, ...MORE_LOCALE_MEMBERS].map((name): [string, unknown] => [name, Reflect.get(locale, name)]);
    return { ...Object.fromEntries(members), variants: variantsOf(locale), tag: locale.toString() };
  }
  const name = LOCALE_METHODS.find((method) => method === wanted);
  if (name === undefined) throw notUnderstood();
  const answer = callOn(locale, name, []);
  return answer instanceof Intl.Locale ? answer.toString() : answer;
}

/** Returns the variants in a locale's name, which older runtimes do not report. */
function variantsOf({ baseName, language, script, region }: Intl.Locale): string | undefined {
  const known = [language, script, region].filter((part) => part !== undefined).join("-");
  return baseName.length > known.length ? baseName.slice(known.length + 1) : undefined;
}

function callStatic(fields: Fields): unknown {
  const method = fields.get("m");
  if (method === "getCanonicalLocales") return Intl.getCanonicalLocales([...localesOf(fields)]);
  const [key] = argumentsOf(fields);
  // The runtime rejects unknown keys.
  if (method === "supportedValuesOf") return Intl.supportedValuesOf(key as Parameters<typeof Intl.supportedValuesOf>[0]);
  const name = fields.get("c");
  if (method !== "supportedLocalesOf" || typeof name !== "string" || !CLASSES.has(name)) throw notUnderstood();
  const constructor: unknown = Reflect.get(Intl, name);
  return typeof constructor === "function" ? callOn(constructor, method, [[...localesOf(fields)], optionsOf(fields)]) : [];
}

const DATE_METHODS: readonly string[] = ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"];
const STRING_METHODS: readonly string[] = ["toLocaleUpperCase", "toLocaleLowerCase"];

/** Calls locale-dependent methods of the language's own values. */
function callOfValue(fields: Fields): unknown {
  const method = fields.get("m");
  const [value] = argumentsOf(fields);
  const locales = toLocales(fields);
  const date = DATE_METHODS.find((name) => name === method);
  if (date !== undefined && typeof value === "number") return callOn(new Date(value), date, [locales, optionsOf(fields)]);
  const text = STRING_METHODS.find((name) => name === method);
  if (text === undefined || typeof value !== "string") throw notUnderstood();
  return callOn(Object(value) as object, text, [locales]);
}

interface Formatter {
  readonly made: object;
  readonly known: IntlClass;
}

/** Cached, because creating a formatter takes longer than using it. */
const KEPT_FORMATTERS = 64;
const MAX_KEY = 2_000;
const formatters = new Map<string, Formatter>();

function findFormatter(fields: Fields): Formatter {
  const key = JSON.stringify([fields.get("c"), fields.get("l"), fields.get("o")]);
  const kept = formatters.get(key);
  if (kept !== undefined) return kept;
  const name = fields.get("c");
  const known = typeof name === "string" ? CLASSES.get(name) : undefined;
  if (known === undefined) throw notUnderstood();
  const formatter = { made: known.make(toLocales(fields), optionsOf(fields)), known };
  if (key.length > MAX_KEY) return formatter;
  const [oldest] = formatters.keys();
  if (formatters.size >= KEPT_FORMATTERS && oldest !== undefined) formatters.delete(oldest);
  formatters.set(key, formatter);
  return formatter;
}

/** Calls a method. `name` must come from the tables above. */
function callOn(target: object, name: string, args: readonly unknown[]): unknown {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== "function") throw new Refusal("NotSupported", `This runtime's Intl has no ${name}`);
  return Reflect.apply(method, target, args) as unknown;
}

function toLocales(fields: Fields): Locales {
  const locales = localesOf(fields);
  return locales.length === 0 ? DEFAULT_LOCALE : locales;
}

function localesOf(fields: Fields): readonly string[] {
  const given = fields.get("l") ?? [];
  if (!Array.isArray(given)) throw notUnderstood();
  if (given.length > MAX_LOCALES) throw new Refusal("RangeError", `Intl takes at most ${MAX_LOCALES} locales at once`);
  return given.map((tag: unknown) => {
    if (typeof tag === "string") return requireName(tag);
    throw notUnderstood();
  });
}

/** Checks the length of a locale tag or an option's value. @throws {Refusal} if it is too long */
function requireName(text: string): string {
  if (text.length <= MAX_NAME) return text;
  throw new Refusal("RangeError", `Incorrect locale information provided: a name has more than ${MAX_NAME} characters`);
}

function optionsOf(fields: Fields): Options | undefined {
  const given = fields.get("o");
  if (given === undefined) return undefined;
  const options = fieldsOf(given);
  for (const option of options.values()) if (typeof option === "string") requireName(option);
  return Object.assign(Object.create(null) as object, Object.fromEntries(options));
}

/**
 * Decodes arguments: strings and lists of strings as they are, `{ n: text }` a number, `{ b: text }` a number of any length, `{ d:
 * members }` an object of numbers.
 */
function argumentsOf(fields: Fields): readonly unknown[] {
  const given = fields.get("a") ?? [];
  if (!Array.isArray(given)) throw notUnderstood();
  return given.map(readArgument);
}

function readArgument(value: unknown): unknown {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) {
    if (value.length > MAX_LIST) throw new Refusal("RangeError", `Intl formats lists of at most ${MAX_LIST} items`);
    return value.map((item: unknown) => {
      if (typeof item === "string") return item;
      throw notUnderstood();
    });
  }
  const fields = fieldsOf(value);
  const [number, long] = [fields.get("n"), fields.get("b")];
  // -0, NaN and the infinities have no JSON form.
  if (typeof number === "string") return Number(number);
  if (typeof long === "string") return readLong(long);
  return Object.fromEntries([...fieldsOf(fields.get("d"))].map(([name, member]) => [name, Number(member)]));
}

/** Exact if ICU gets the digits. A number with a huge exponent becomes the nearest double. */
function readLong(text: string): unknown {
  if (text.length > MAX_DIGITS) throw new Refusal("RangeError", `Intl formats numbers of at most ${MAX_DIGITS} digits`);
  const exponent = Number(/e([+-]?\d+)\s*$/iu.exec(text)?.[1] ?? 0);
  return Math.abs(exponent) > MAX_EXPONENT ? Number(text) : text;
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw notUnderstood();
  return new Map(Object.entries(value));
}

function notUnderstood(): Refusal {
  return new Refusal("TypeError", "Cannot read the Intl call");
}
