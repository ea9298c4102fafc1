/** `context.workspace`: files of the session's workspace, the same on every route (SPEC C8). */

import { bufferOf, ownBytes, toByteArray, toBytes, viewBytes } from "../web/bytes.ts";
import { decodeUtf8, request, type Request } from "./channel.ts";
import { setOwn } from "./data-request.ts";
import { type FlatObject, listToJson, quoteJson } from "../language/json-text.ts";
import { toPath } from "../deno/deno-paths.ts";
import { encodeUtf8 } from "../web/encoding.ts";
import {
  arrayIsArray,
  bareList,
  parseIntText,
  PrimordialPromise,
  PrimordialTypeError,
  promiseReject,
  promiseThen,
  splitText,
} from "../language/primordials.ts";
import { toDomString } from "../web/webidl.ts";

/** Every method returns a promise, even for arguments that are refused at once. */
function begin<T>(make: () => Request<T>): Promise<T> {
  try {
    return request(make());
  } catch (error) {
    return promiseReject(error);
  }
}

function reading<T>(path: unknown, range: unknown, convert: Request<T>["convert"], isText?: true): Request<T> {
  const args = { __proto__: null, path: toPath(path), ...readRange(range) };
  return { __proto__: null, operation: "workspace.read", args, isText, convert };
}

function readRange(range: unknown): FlatObject {
  if (range === undefined) return { __proto__: null };
  if (typeof range !== "object" || range === null) throw new PrimordialTypeError("The range must be { offset, length }");
  const { offset, length } = range as { readonly offset?: unknown; readonly length?: unknown };
  return { __proto__: null, offset: toCount(offset, "offset"), length: toCount(length, "length") };
}

function toCount(value: unknown, name: string): number {
  if (typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER && value % 1 === 0) return value;
  throw new PrimordialTypeError(`The range's ${name} must be a whole number from 0 on`);
}

function writing(path: unknown, bytes: ArrayBuffer, append: boolean): Request<undefined> {
  return { __proto__: null, operation: "workspace.write", args: { __proto__: null, path: toPath(path), append }, bytes, convert: ignore };
}

function requireText(text: unknown, what: string): string {
  if (typeof text !== "string") throw new PrimordialTypeError(`${what} must be a string`);
  return text;
}

function ignore(): undefined {
  return undefined;
}

/** Most files that one operation reads (`host/capabilities/files/tree.ts`). */
const BATCH = 1_000;

interface FileText {
  readonly path: string;
  readonly text?: string;
  readonly error?: string;
}

/** Reads the files as text, in order. A file that cannot be read has an `error` in place of its text. */
function readMany(paths: unknown): Promise<FileText[]> {
  return new PrimordialPromise((resolve, reject) => {
    if (!arrayIsArray(paths)) throw new PrimordialTypeError("The paths must be a list");
    const all = bareList<string>();
    for (let index = 0; index < paths.length; index++) all[index] = toPath(paths[index]);
    const files: FileText[] = [];
    const readOn = (): void => {
      const from = files.length;
      if (from >= all.length) return resolve(files);
      const batch = bareList<string>();
      for (let index = from; index < all.length && index < from + BATCH; index++) batch[index - from] = all[index] ?? "";
      const args = { __proto__: null };
      const json = `{"paths":${listToJson(batch)}}`;
      const take = (told: unknown, bytes: ArrayBuffer | undefined): void => addTexts(files, batch, told as BatchAnswer, bytes);
      promiseThen(request({ __proto__: null, operation: "tree.read", args, json, convert: take }), readOn, reject);
    };
    readOn();
  });
}

/** Answer of the host: the lengths of the files that it read, and the errors by index. */
interface BatchAnswer {
  readonly lengths: string;
  readonly errors: readonly (readonly [index: number, name: string, message: string])[];
}

function addTexts(files: FileText[], batch: readonly string[], { lengths, errors }: BatchAnswer, bytes: ArrayBuffer | undefined): void {
  const whole = toByteArray(undefined, bytes);
  const sizes = splitText(lengths, ",");
  let [at, nextError] = [0, 0];
  for (let index = 0; index < sizes.length; index++) {
    const end = at + parseIntText(sizes[index] ?? "0");
    const failed = errors[nextError];
    const path = batch[index] ?? "";
    if (failed !== undefined && failed[0] === index) {
      nextError++;
      setOwn(files, `${files.length}`, { path, error: `${failed[1]}: ${failed[2]}` });
    } else setOwn(files, `${files.length}`, { path, text: at === end ? "" : decodeUtf8(bufferOf(ownBytes(viewBytes(whole, at, end)))) });
    at = end;
  }
}

function walking(path: unknown, options: unknown): Request<unknown> {
  const { extensions, hidden } = (options ?? {}) as { readonly extensions?: unknown; readonly hidden?: unknown };
  const wanted = bareList<string>();
  if (extensions !== undefined && !arrayIsArray(extensions)) throw new PrimordialTypeError("The extensions must be a list");
  for (let index = 0; extensions !== undefined && index < extensions.length; index++) wanted[index] = toDomString(extensions[index]);
  const json = `{"path":${quoteJson(toPath(path))}${extensions === undefined ? "" : `,"extensions":${listToJson(wanted)}`},"hidden":${hidden === true}}`;
  return { __proto__: null, operation: "tree.walk", args: { __proto__: null }, json, convert: (value) => value };
}

export function createWorkspace(): object {
  return {
    read: (path: unknown, range?: unknown) => begin(() => reading(path, range, (text) => text, true)),
    readBytes: (path: unknown, range?: unknown) => begin(() => reading(path, range, toByteArray)),
    write: (path: unknown, text: unknown) => begin(() => writing(path, bufferOf(encodeUtf8(requireText(text, "The text"))), false)),
    writeBytes: (path: unknown, bytes: unknown) => begin(() => writing(path, bufferOf(toBytes(bytes, "Cannot write the file")), false)),
    append: (path: unknown, text: unknown) => begin(() => writing(path, bufferOf(encodeUtf8(requireText(text, "The text"))), true)),
    readMany,
    walk: (path: unknown = ".", options?: unknown) => begin(() => walking(path, options)),
    exists: (path: unknown) => begin(() => onPath("workspace.exists", path, (value) => value === true)),
    list: (path: unknown = ".") => begin(() => onPath("workspace.list", path, (value) => value)),
    delete: (path: unknown) => begin(() => onPath("workspace.delete", path, ignore)),
    patch: (path: unknown, old: unknown, replacement: unknown) => begin(() => patching(path, old, replacement)),
  };
}

function onPath<T>(operation: string, path: unknown, convert: (value: unknown) => T): Request<T> {
  return { __proto__: null, operation, args: { __proto__: null, path: toPath(path) }, convert };
}

function patching(path: unknown, old: unknown, replacement: unknown): Request<undefined> {
  const args: FlatObject = {
    __proto__: null,
    path: toPath(path),
    old: requireText(old, "The text to replace"),
    replacement: toDomString(replacement),
  };
  return { __proto__: null, operation: "workspace.patch", args, convert: ignore };
}
