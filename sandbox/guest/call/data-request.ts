/** Requests to the plugin's database: JSON both ways, in which bytes and large integers are coded (`host/platform/databases/database-types.ts`). */

import { askWorker, request, takeAnswerBytes } from "./channel.ts";
import { quoteJson } from "../language/json-text.ts";
import {
  arrayIsArray,
  isFiniteNumber,
  jsonParse,
  objectKeys,
  PrimordialBigInt,
  PrimordialTypeError,
  promiseReject,
  reflectDefineProperty,
} from "../language/primordials.ts";
import { bufferOf, isBufferSource, toByteArray, toBytes } from "../web/bytes.ts";
import { encodeUtf8 } from "../web/encoding.ts";

export type Row = Record<string, unknown>;

/** The result of one statement (`host/platform/databases/database-types.ts`). */
export interface StepResult {
  readonly rows: Row[];
  readonly coded?: true;
  readonly changes: number;
  readonly last: unknown;
}

/** Sends the JSON of a request. Every method returns a promise, even for arguments that are refused at once. */
export function send<T>(access: "read" | "write", text: () => string, take: (results: readonly StepResult[]) => T): Promise<T> {
  try {
    const bytes = bufferOf(encodeUtf8(text()));
    const convert = (answer: unknown): T => take(readResults(answer));
    return request({ __proto__: null, operation: `data.${access}`, args: { __proto__: null }, bytes, isText: true, convert });
  } catch (error) {
    return promiseReject(error);
  }
}

function readResults(answer: unknown): readonly StepResult[] {
  // The host sends the JSON of its own type.
  const { results } = jsonParse(answer as string) as { readonly results: readonly StepResult[] };
  for (let index = 0; index < results.length; index++) {
    const result = results[index];
    if (result?.coded === true) decodeRows(result.rows);
  }
  return results;
}

/** Bytes and large integers travel as objects, which no other cell is. */
function decodeRows(rows: readonly Row[]): void {
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] ?? {};
    const names = objectKeys(row);
    for (let at = 0; at < names.length; at++) {
      const name = names[at] ?? "";
      if (typeof row[name] === "object" && row[name] !== null) setOwn(row, name, decoded(row[name]));
    }
  }
}

export function setOwn(target: object, name: string, value: unknown): void {
  reflectDefineProperty(target, name, {
    __proto__: null,
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  } as PropertyDescriptor);
}

export function decoded(coded: object): unknown {
  const { b, i, n } = coded as { readonly b?: string; readonly i?: string; readonly n?: string };
  if (b !== undefined) return fromBase64(b);
  return i === undefined ? +(n ?? "") : PrimordialBigInt(i);
}

function fromBase64(text: string): Uint8Array {
  askWorker("base64.decode", DECODE, bufferOf(encodeUtf8(text)));
  return toByteArray(undefined, takeAnswerBytes());
}

const DECODE = '{"isUrl":false,"last":"loose"}';
const ENCODE = '{"isUrl":false,"omitPadding":false}';

/** Returns the JSON of a parameter. @param where names it in messages */
export function valueText(value: unknown, where: string): string {
  switch (typeof value) {
    case "string":
      return quoteJson(value);
    case "boolean":
      return value ? "1" : "0";
    case "bigint":
      return `{"i":"${value}"}`;
    case "number":
      if (isFiniteNumber(value)) return `${value}`;
      if (value === value) return `{"n":"${value}"}`;
      throw new PrimordialTypeError(`${where} is NaN (use null)`);
    default:
      if (value === null) return "null";
      if (isBufferSource(value)) return `{"b":"${askWorker("base64.encode", ENCODE, bufferOf(toBytes(value, where))) as string}"}`;
      throw new PrimordialTypeError(
        `${where} is ${value === undefined ? "undefined (use null)" : "not a value of SQL (use text, a number, bytes or null; JSON.stringify makes text of an object)"}`,
      );
  }
}

/** Returns the JSON of one set of parameters: a list, or an object by name. */
export function parametersText(given: unknown): string {
  if (typeof given !== "object" || given === null) throw new PrimordialTypeError("The parameters must be a list or an object");
  let text = "";
  if (arrayIsArray(given)) {
    for (let index = 0; index < given.length; index++)
      text += `${index === 0 ? "" : ","}${valueText(given[index], `Parameter ${index + 1}`)}`;
    return `[${text}]`;
  }
  const names = objectKeys(given);
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? "";
    text += `${index === 0 ? "" : ","}${quoteJson(name)}:${valueText((given as Row)[name], `Parameter "${name}"`)}`;
  }
  return `{${text}}`;
}

export function countOf(value: unknown, what: string): number {
  if (typeof value === "number" && value >= 0 && value % 1 === 0 && value <= 9_007_199_254_740_991) return value;
  throw new PrimordialTypeError(`"${what}" must be a whole number from 0 on`);
}
