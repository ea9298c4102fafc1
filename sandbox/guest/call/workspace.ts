/** `context.workspace`: files of the session's workspace, the same on every route (SPEC C8). */

import { bufferOf, toByteArray, toBytes } from "../web/bytes.ts";
import { request, type Request } from "./channel.ts";
import type { FlatObject } from "../language/json-text.ts";
import { toPath } from "../deno/deno-paths.ts";
import { encodeUtf8 } from "../web/encoding.ts";
import { PrimordialTypeError, promiseReject } from "../language/primordials.ts";
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

export function createWorkspace(): object {
  return {
    read: (path: unknown, range?: unknown) => begin(() => reading(path, range, (text) => text, true)),
    readBytes: (path: unknown, range?: unknown) => begin(() => reading(path, range, toByteArray)),
    write: (path: unknown, text: unknown) => begin(() => writing(path, bufferOf(encodeUtf8(requireText(text, "The text"))), false)),
    writeBytes: (path: unknown, bytes: unknown) => begin(() => writing(path, bufferOf(toBytes(bytes, "Cannot write the file")), false)),
    append: (path: unknown, text: unknown) => begin(() => writing(path, bufferOf(encodeUtf8(requireText(text, "The text"))), true)),
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
