/** An endpoint of `/v1`: an entry of the table from which the router and the OpenAPI document are made. */

import type { TSchema } from "@sinclair/typebox";
import type { JsonObject, TokenScope } from "../../../manifests/mod.ts";
import { piecesBytes } from "../../primitives/json/json-bytes.ts";
import { toPieces } from "../../primitives/json/large.ts";
import { jsonPieces } from "../../primitives/json/write-slices.ts";
import { LARGE_BYTES } from "../../../sandbox/mod.ts";
import type { Slices } from "../../platform/platform.ts";
import type { HttpCaller } from "./tokens.ts";

/** A request that was read and checked against the endpoint's schemas. */
export interface ApiRequest {
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Parameters of the query, converted to the types of its schema. */
  readonly query: JsonObject;
  /** JSON body; `{}` if the endpoint takes no body. */
  readonly body: JsonObject;
  readonly fields: Headers;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly caller: HttpCaller;
}

/** A documented answer of an endpoint. */
export interface AnswerSpec {
  readonly about: string;
  /** Schema of the JSON body; absent if the answer has no body or is not JSON. */
  readonly schema?: TSchema;
  /** Media type. Default `application/json`. */
  readonly type?: string;
}

/** A method of a path. `Api` holds its dependencies. */
export interface Endpoint<Api> {
  readonly method: "get" | "post" | "delete";
  /** Path with parameters in braces: `/v1/calls/{callId}`. */
  readonly path: string;
  /** OpenAPI `operationId`. */
  readonly id: string;
  readonly summary: string;
  readonly about?: string;
  /** Scope that the token needs; absent if the endpoint needs no token. */
  readonly scope?: TokenScope;
  /** Schema within the subset for tool schemas, because `checkValue` checks with it. */
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly answers: Readonly<Record<number, AnswerSpec>>;
  run(request: ApiRequest, api: Api): Promise<Response> | Response;
}

/** Caller of requests without a token. */
export const ANYBODY: HttpCaller = Object.freeze({ id: "", name: "anybody", scopes: [], isPerson: false });

/** Answers with JSON. Members that are `undefined` are left out. */
export function json(value: unknown, status = 200, fields: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...fields, "content-type": "application/json" } });
}

/** Answers with JSON that may hold results: their large values stay bytes and are written as the client reads (SPEC LV2). */
export function jsonOfResults(value: unknown, slices: Slices, status = 200, fields: Readonly<Record<string, string>> = {}): Response {
  const headers = { ...fields, "content-type": "application/json" };
  const pieces = toPieces(value);
  const [text] = pieces;
  if (pieces.length === 1 && typeof text === "string") return new Response(text, { status, headers });
  return new Response(streamOf(piecesBytes(pieces, slices)), { status, headers });
}

/** Answers with JSON that may be large, written as the client reads (SPEC LV2). No member may be `undefined`. */
export function jsonOf(value: object, slices: Slices): Response {
  // The value is JSON; only its interface lacks an index signature.
  const bytes = textBytes(jsonPieces(value as JsonObject, {}), slices);
  return new Response(streamOf(bytes), { headers: { "content-type": "application/json" } });
}

/** Answers with `{"<name>":[…]}`. Items are made and written as the client reads (SPEC LV2). No member may be `undefined`. */
export function jsonOfList<Item>(name: string, items: Iterable<Item>, toShown: (item: Item) => object, slices: Slices): Response {
  const bytes = textBytes(listTexts(name, items, toShown), slices);
  return new Response(streamOf(bytes), { headers: { "content-type": "application/json" } });
}

function* listTexts<Item>(name: string, items: Iterable<Item>, toShown: (item: Item) => object): Generator<string, void> {
  yield `{${JSON.stringify(name)}:[`;
  let separator = "";
  for (const item of items) {
    yield separator;
    // The value is JSON; only its interface lacks an index signature.
    yield* jsonPieces(toShown(item) as JsonObject, {});
    separator = ",";
  }
  yield "]}";
}

const encoder = new TextEncoder();

async function* textBytes(texts: Iterator<string, void>, slices: Slices): AsyncGenerator<Uint8Array, void> {
  for (let isOver = false; !isOver;) {
    const some = await slices.run(someOf(texts));
    ({ isOver } = some);
    yield encoder.encode(some.text);
  }
}

/** Joins texts up to about 64 KB, one text per slice. */
function* someOf(texts: Iterator<string, void>): Generator<void, { readonly text: string; readonly isOver: boolean }> {
  let text = "";
  for (; text.length < LARGE_BYTES; yield) {
    const next = texts.next();
    if (next.done === true) return { text, isOver: true };
    text += next.value;
  }
  return { text, isOver: false };
}

function streamOf(bytes: AsyncGenerator<Uint8Array, void>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await bytes.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await bytes.return();
    },
  });
}

/** Returns a member that the schema declares as a string. */
export function textIn(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === "string" ? value : undefined;
}
