/** Reads the parts of a request: bounds them before parsing and checks them before use (SPEC I4). */

import type { TSchema } from "@sinclair/typebox";
import {
  checkSlices,
  checkValue,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  LIMIT_CEILINGS,
  type ValueError,
} from "../../../manifests/mod.ts";
import { piecesOf } from "../../primitives/json/json-bytes.ts";
import { sizeOf } from "../../primitives/json/known-size.ts";
import { MAX_MEMBERS, readText } from "../../primitives/json/read-slices.ts";
import { type GiveBack, LARGE_BYTES } from "../../../sandbox/mod.ts";
import type { Slices } from "../../platform/platform.ts";
import { BodyTooLarge } from "../../platform/network/http-types.ts";
import { RequestProblem } from "./problem.ts";

const MAX_DEPTH = LIMIT_CEILINGS.jsonDepth + 8;

/** Bounds of a body. */
export interface BodyOptions {
  readonly maxBytes: number;
  readonly slices: Slices;
  /** Waits until `size` bytes may be held. Resolves with undefined if the client has disconnected. */
  room(size: number): Promise<GiveBack | undefined>;
}

/** Reads a JSON body. @throws {RequestProblem} if it is not a JSON object that matches the schema */
export async function readBody(request: Request, schema: TSchema, { maxBytes, slices, room }: BodyOptions): Promise<JsonObject> {
  // HTML forms of any page can send other types without a CORS preflight.
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json *(?:; *charset="?utf-8"?)? *$/i.test(type))
    throw new RequestProblem("unsupported_media_type", "Send the body as application/json");
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity")
    throw new RequestProblem("unsupported_media_type", "Send the body without a content-encoding");
  const { text, giveBack } = await readAll(request, maxBytes, room);
  try {
    const value = await parse(text, maxBytes, slices);
    if (!isJsonObject(value)) throw new RequestProblem("malformed_request", "The body must be a JSON object");
    refuse(sizeOf(value) === undefined ? checkValue(schema, value) : await slices.run(checkSlices(schema, value)), "body");
    return value;
  } finally {
    giveBack?.();
  }
}

/** Reads the query. @throws {RequestProblem} if a parameter is unknown, repeated or of the wrong type */
export function readQuery(url: string, schema: TSchema | undefined): JsonObject {
  const query: Record<string, JsonValue> = {};
  // The schemas are our own: the properties of an object are schemas.
  const properties = (schema?.["properties"] ?? {}) as Readonly<Record<string, TSchema>>;
  for (const [name, text] of new URL(url).searchParams) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined) throw new RequestProblem("invalid_request", `Unknown parameter "${name.slice(0, 64)}"`);
    if (Object.hasOwn(query, name)) throw new RequestProblem("invalid_request", `Repeated parameter "${name}"`);
    query[name] = toType(text, known["type"]);
  }
  if (schema !== undefined) refuse(checkValue(schema, query), "query");
  return query;
}

function toType(text: string, type: unknown): JsonValue {
  if ((type === "integer" || type === "number") && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function refuse(errors: readonly ValueError[], part: "body" | "query"): void {
  const [first] = errors;
  if (first === undefined) return;
  const where = first.pointer === "" ? "" : ` at ${first.pointer}`;
  const more = errors.length === 1 ? "" : ` (and ${errors.length - 1} more)`;
  throw new RequestProblem("invalid_request", `Invalid ${part}${where}: ${first.message}${more}`, { errors });
}

/** Reads the body's text. Beyond 64 KB it waits for room for the declared length, or the maximum if none is declared. */
async function readAll(
  request: Request,
  maxBytes: number,
  room: BodyOptions["room"],
): Promise<{ readonly text: string; readonly giveBack?: GiveBack }> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let giveBack: GiveBack | undefined;
  // The runtime's type does not say that the chunks are bytes.
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
  try {
    for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
      bytes += next.value.length;
      if (bytes > maxBytes) throw new BodyTooLarge(maxBytes);
      if (bytes > LARGE_BYTES && giveBack === undefined) {
        giveBack = await room(sizeOfBody(request, maxBytes));
        if (giveBack === undefined) throw new RequestProblem("unavailable", "The client has disconnected");
      }
      pieces.push(...piecesOf(next.value));
    }
    return { text: decodeAll(pieces), ...(giveBack && { giveBack }) };
  } catch (error) {
    giveBack?.();
    await reader?.cancel();
    throw error;
  }
}

/** Returns the declared length of a body, at most `maxBytes`; `maxBytes` if none is declared. */
export function sizeOfBody({ headers }: Request, maxBytes: number): number {
  const length = headers.get("content-length");
  return length === null ? maxBytes : Math.min(Number(length), maxBytes);
}

function decodeAll(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
  } catch {
    throw new RequestProblem("malformed_request", "The body must be UTF-8");
  }
}

async function parse(text: string, maxBytes: number, slices: Slices): Promise<unknown> {
  const read = await readText(text, { maxBytes, maxDepth: MAX_DEPTH }, slices);
  if (read.ok) return read.value;
  if (!("tooLarge" in read)) throw new RequestProblem("malformed_request", `Invalid JSON: unexpected token at position ${read.position}`);
  if (read.tooLarge === "members")
    throw new RequestProblem("malformed_request", `An object of the body has more than ${MAX_MEMBERS} members`);
  throw read.tooLarge === "bytes"
    ? new BodyTooLarge(maxBytes)
    : new RequestProblem("malformed_request", `The body is nested deeper than ${MAX_DEPTH} levels`);
}
