/** What an endpoint of `/v1` is: one entry of a table, from which both the routing and the OpenAPI document are made. */

import type { TSchema } from "@sinclair/typebox";
import type { JsonObject, TokenScope } from "../../../manifests/mod.ts";
import { piecesBytes } from "../../primitives/json/json-bytes.ts";
import { toPieces } from "../../primitives/json/large.ts";
import { jsonPieces } from "../../primitives/json/write-slices.ts";
import { LARGE_BYTES } from "../../../sandbox/mod.ts";
import type { Slices } from "../../platform/platform.ts";
import type { HttpCaller } from "./tokens.ts";

/** A request that has passed everything: its parts have been read and checked against the endpoint's schemas. */
export interface ApiRequest {
  /** From the path. */
  readonly params: Readonly<Record<string, string>>;
  /** From the query, in the types of its schema. */
  readonly query: JsonObject;
  /** `{}` where the endpoint takes no body. */
  readonly body: JsonObject;
  readonly fields: Headers;
  /** Aborted when the client goes. */
  readonly signal: AbortSignal;
  readonly caller: HttpCaller;
}

/** One answer that an endpoint can give. */
export interface AnswerSpec {
  readonly about: string;
  /** Of its JSON; absent for an answer without a body, and for what is no JSON. */
  readonly schema?: TSchema;
  /** Default `application/json`. */
  readonly type?: string;
}

/** One method of one path. `Api` is what it works with. */
export interface Endpoint<Api> {
  readonly method: "get" | "post" | "delete";
  /** Parameters in braces: `/v1/calls/{callId}`. */
  readonly path: string;
  /** `operationId`. */
  readonly id: string;
  readonly summary: string;
  readonly about?: string;
  /** What a token must be good for; absent: anybody may ask. */
  readonly scope?: TokenScope;
  /** Within the subset that tool schemas have: `checkValue` checks with it. */
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly answers: Readonly<Record<number, AnswerSpec>>;
  run(request: ApiRequest, api: Api): Promise<Response> | Response;
}

/** Nobody: who asks for what anybody may ask for. */
export const ANYBODY: HttpCaller = Object.freeze({ id: "", name: "anybody", scopes: [], isPerson: false });

/** JSON with a status. `undefined` members are left out. */
export function json(value: unknown, status = 200, fields: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...fields, "content-type": "application/json" } });
}

/** The same for what may hold results: what is large in them stays bytes, and goes out as the client takes it (SPEC LV2). */
export function jsonOfResults(value: unknown, slices: Slices, status = 200, fields: Readonly<Record<string, string>> = {}): Response {
  const headers = { ...fields, "content-type": "application/json" };
  const pieces = toPieces(value);
  const [text] = pieces;
  if (pieces.length === 1 && typeof text === "string") return new Response(text, { status, headers });
  return new Response(streamOf(piecesBytes(pieces, slices)), { status, headers });
}

/** JSON that may be large, written as the client takes it (SPEC LV2). It has no member that is `undefined`. */
export function jsonOf(value: object, slices: Slices): Response {
  // The value is JSON; its interface just has no index signature.
  const bytes = textBytes(jsonPieces(value as JsonObject, {}), slices);
  return new Response(streamOf(bytes), { headers: { "content-type": "application/json" } });
}

/** `{"<name>":[…]}`, whose items are made, shown and written as the client takes them (SPEC LV2). None has a member that is `undefined`. */
export function jsonOfList<Item>(name: string, items: Iterable<Item>, toShown: (item: Item) => object, slices: Slices): Response {
  const bytes = textBytes(listTexts(name, items, toShown), slices);
  return new Response(streamOf(bytes), { headers: { "content-type": "application/json" } });
}

function* listTexts<Item>(name: string, items: Iterable<Item>, toShown: (item: Item) => object): Generator<string, void> {
  yield `{${JSON.stringify(name)}:[`;
  let separator = "";
  for (const item of items) {
    yield separator;
    // The value is JSON; its interface just has no index signature.
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

/** Some 64 KB of them, one text in each slice. */
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

/** A member that the schema says is a text. */
export function textIn(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === "string" ? value : undefined;
}
