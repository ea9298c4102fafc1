/** Messages of `Intl`: JSON of locales, options and arguments, read from a program's values as the standard describes. */

import { askWorker } from "../call/channel.ts";
import { listToJson, quoteJson } from "../language/json-text.ts";
import {
  arrayJoin,
  bareList,
  isFiniteNumber,
  numberToString,
  objectIs,
  PrimordialNumber,
  PrimordialObject,
  PrimordialTypeError,
  reflectGet,
  reflectHas,
} from "../language/primordials.ts";
import { toDomString } from "../web/webidl.ts";

/** A formatter's class, locales and options, sent with each of its operations. */
export interface IntlState {
  readonly name: string;
  readonly fields: string;
  /** Whether this is a collator that `compareAscii` can stand in for. */
  readonly isPlain: boolean;
}

export function stateOf(name: string, fields: string): IntlState {
  return { name, fields: `"c":"${name}"${fields}`, isPlain: false };
}

/** Sends a request to the worker, which answers a JSON value. */
export function askIntl(operation: string, fields: string, method?: string, args?: readonly string[]): unknown {
  const methodText = method === undefined ? "" : `,"m":"${method}"`;
  return askWorker(`intl.${operation}`, `{${fields}${methodText}${args === undefined ? "" : `,"a":[${arrayJoin(args, ",")}]`}}`);
}

/** Returns the tag of a locale object of the prelude. */
let tagOf: (value: object) => string | undefined = () => undefined;

/** Sets at boot how to recognise locale objects. */
export function knowLocales(tag: (value: object) => string | undefined): void {
  tagOf = tag;
}

/** Returns the locales (https://tc39.es/ecma402/#sec-canonicalizelocalelist) as a JSON field with its comma, or "". */
export function localesField(given: unknown): string {
  if (given === undefined) return "";
  const tags = bareList<string>();
  if (typeof given === "string") tags[0] = given;
  else if (given === null) throw new PrimordialTypeError("Cannot convert undefined or null to object");
  else {
    const list: object = PrimordialObject(given) as object;
    const own = tagOf(list);
    if (own !== undefined) tags[0] = own;
    else {
      const length = +(reflectGet(list, "length") as number);
      for (let index = 0; index < length; index++)
        if (reflectHas(list, `${index}`)) tags[tags.length] = toTag(reflectGet(list, `${index}`));
    }
  }
  return `,"l":${listToJson(tags)}`;
}

/** Returns the tag of a string or of a locale object. */
export function toTag(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) throw new PrimordialTypeError("Incorrect locale information provided");
  return tagOf(value) ?? toDomString(value);
}

/** Returns the given options that a class knows as a JSON field with its comma, or "". */
export function optionsField(given: unknown, names: readonly string[]): string {
  if (given === undefined) return "";
  if (given === null) throw new PrimordialTypeError("Cannot convert undefined or null to object");
  const options: object = PrimordialObject(given) as object;
  const members = bareList<string>();
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? "";
    const value = reflectGet(options, name);
    if (value !== undefined) members[members.length] = `"${name}":${optionToJson(value)}`;
  }
  return `,"o":{${arrayJoin(members, ",")}}`;
}

/** Converts objects to strings. Numbers without a JSON form are sent as strings, which every numeric option refuses. */
function optionToJson(value: unknown): string {
  if (typeof value === "boolean" || value === null) return `${value}`;
  if (typeof value === "number") return isFiniteNumber(value) ? numberToString(value, 10) : quoteJson(numberToString(value, 10));
  return quoteJson(toDomString(value));
}

export function numberArgument(value: number): string {
  return `{"n":"${objectIs(value, -0) ? "-0" : numberToString(value, 10)}"}`;
}

/** Converts a number (https://tc39.es/ecma402/#sec-tointlmathematicalvalue): text and big integers keep all their digits. */
export function numericArgument(value: unknown): string {
  const plain: unknown = typeof value === "object" && value !== null ? toPrimitive(value) : value;
  if (typeof plain === "bigint") return `{"b":"${plain}"}`;
  if (typeof plain === "string") return `{"b":${quoteJson(plain)}}`;
  return numberArgument(+(plain as number));
}

function toPrimitive(value: object): unknown {
  // A wrapped big integer stays one; other objects become numbers.
  const plain: unknown = (value as { valueOf?: () => unknown }).valueOf?.();
  return typeof plain === "object" || plain === undefined ? PrimordialNumber(value) : plain;
}
