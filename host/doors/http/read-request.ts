/** Reads a request's parts, bounded before they are parsed and checked before anybody uses them (SPEC I4). */

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

/** How bodies are read. */
export interface BodyOptions {
  readonly maxBytes: number;
  readonly slices: Slices;
  /** Waits until so many bytes may be read and looked into; undefined if the client is gone. */
  room(size: number): Promise<GiveBack | undefined>;
}

/** @throws {RequestProblem} if the body is no JSON object that fits. */
export async function readBody(request: Request, schema: TSchema, { maxBytes, slices, room }: BodyOptions): Promise<JsonObject> {
  // A form on any page can send other types without asking first.
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json *(?:; *charset="?utf-8"?)? *$/i.test(type))
    throw new RequestProblem("unsupported_media_type", "Send the body as application/json");
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity")
    throw new RequestProblem("unsupported_media_type", "Send the body without a content-encoding");
  const { text, giveBack } = await readAll(request, maxBytes, room);
  try {
    const value = await parse(text, maxBytes, slices);
    if (!isJsonObject(value)) throw new RequestProblem("malformed_request", "The body is not a JSON object");
    refuse(sizeOf(value) === undefined ? checkValue(schema, value) : await slices.run(checkSlices(schema, value)), "body");
    return value;
  } finally {
    giveBack?.();
  }
}

/** @throws {RequestProblem} if a parameter is unknown, there twice or none of its type. */
export function readQuery(url: string, schema: TSchema | undefined): JsonObject {
  const query: Record<string, JsonValue> = {};
  // Our own schemas: an object's properties are schemas.
  const properties = (schema?.["properties"] ?? {}) as Readonly<Record<string, TSchema>>;
  for (const [name, text] of new URL(url).searchParams) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined) throw new RequestProblem("invalid_request", `There is no parameter "${name.slice(0, 64)}" here`);
    if (Object.hasOwn(query, name)) throw new RequestProblem("invalid_request", `The parameter "${name}" is there twice`);
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

/** What is above 64 KB is read when there is room for all that the body says it has, or may have. */
async function readAll(
  request: Request,
  maxBytes: number,
  room: BodyOptions["room"],
): Promise<{ readonly text: string; readonly giveBack?: GiveBack }> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let giveBack: GiveBack | undefined;
  // The runtime's type leaves open what the pieces are.
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
  try {
    for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
      bytes += next.value.length;
      if (bytes > maxBytes) throw new BodyTooLarge(maxBytes);
      if (bytes > LARGE_BYTES && giveBack === undefined) {
        giveBack = await room(sizeOfBody(request, maxBytes));
        if (giveBack === undefined) throw new RequestProblem("unavailable", "The client is gone");
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

/** At least what a body that says nothing of its length may have. */
export function sizeOfBody({ headers }: Request, maxBytes: number): number {
  const length = headers.get("content-length");
  return length === null ? maxBytes : Math.min(Number(length), maxBytes);
}

function decodeAll(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
  } catch {
    throw new RequestProblem("malformed_request", "The body is not UTF-8");
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
