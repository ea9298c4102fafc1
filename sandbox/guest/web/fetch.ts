/** `fetch` (https://fetch.spec.whatwg.org/#fetch-method). */

import { AbortSignal } from "./abort.ts";
import { ofBytes } from "./body.ts";
import { askWorker } from "../call/channel.ts";
import { readBytes } from "../deno/deno-fs.ts";
import { exchange } from "./fetch-exchange.ts";
import { latin1Bytes, percentDecode } from "./data-url.ts";
import { headerFields, Headers, setField } from "./headers.ts";
import { formatMimeType, parseMimeType, trimSpace } from "./mime-type.ts";
import { quoteJson } from "../language/json-text.ts";
import {
  PrimordialTypeError,
  reflectApply,
  reflectGetOwnPropertyDescriptor,
  splitText,
  stringEndsWith,
  stringIndexOf,
  stringSlice,
  stringStartsWith,
  stringToLowerCase,
} from "../language/primordials.ts";
import { Request, requestFacts, requestSignal } from "./request.ts";
import { createResponse, type Response } from "./response.ts";
import { URL } from "./url.ts";
import { exposeFunction, requireArguments } from "./webidl.ts";

/** Captured before any plugin runs. */
const { throwIfAborted } = AbortSignal.prototype;

/** Asynchronous, so that invalid arguments reject the promise. */
async function fetch(...given: unknown[]): Promise<Response> {
  requireArguments(given.length, 1, "execute 'fetch'");
  const request = new Request(given.length > 0 ? given[0] : undefined, given.length > 1 ? given[1] : undefined);
  reflectApply(throwIfAborted, requestSignal(request), []);
  const { url } = requestFacts(request);
  if (stringStartsWith(url, "file:")) return readFileUrl(request);
  return stringStartsWith(url, "data:") ? readDataUrl(url) : exchange(request);
}

/** Reads what `Deno.readFile` may read, including the plugin's own files. As in Deno, the response has no type and no length. */
async function readFileUrl(request: Request): Promise<Response> {
  const { method, url } = requestFacts(request);
  if (method !== "GET") throw new PrimordialTypeError(`Fetching files only supports the GET method: received ${method}`);
  const body = ofBytes(await readWhole(url));
  reflectApply(throwIfAborted, requestSignal(request), []);
  return createResponse({ status: 200, statusText: "OK", type: "basic", url, redirected: false }, new Headers(), body);
}

async function readWhole(url: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await readBytes(new URL(url));
  } catch (error) {
    // A missing grant keeps its own error; errors of the file itself are wrapped, as in Deno.
    const code: unknown = reflectGetOwnPropertyDescriptor(error as object, "code")?.value;
    if (typeof code !== "string") throw error;
    const reason = splitText((error as Error).message, ": ")[0];
    throw new PrimordialTypeError(`Error fetching file '${url}': ${reason ?? ""}`);
  }
}

/** Reads a data URL (https://fetch.spec.whatwg.org/#data-url-processor). @throws {TypeError} if the URL is not a valid data URL */
function readDataUrl(url: string): Response {
  const hash = stringIndexOf(url, "#");
  const text = stringSlice(url, "data:".length, hash === -1 ? url.length : hash);
  const comma = stringIndexOf(text, ",");
  if (comma === -1) throw new PrimordialTypeError("Cannot read the data URL: it has no comma");
  const encoded = percentDecode(stringSlice(text, comma + 1));
  const { type, isBase64 } = readDataType(stringSlice(text, 0, comma));
  const bytes = latin1Bytes(isBase64 ? decodeBase64(encoded) : encoded);
  const headers = new Headers();
  setField(headerFields(headers), { name: "content-type", value: type });
  return createResponse({ status: 200, statusText: "OK", type: "basic", url, redirected: false }, headers, ofBytes(bytes));
}

const BASE64 = "base64";

function readDataType(given: string): { readonly type: string; readonly isBase64: boolean } {
  const text = trimSpace(given);
  const head = trimSpace(stringSlice(text, 0, text.length - BASE64.length));
  const isBase64 = stringEndsWith(stringToLowerCase(text), BASE64) && stringEndsWith(head, ";");
  const rest = isBase64 ? stringSlice(head, 0, head.length - 1) : text;
  const parsed = parseMimeType(stringStartsWith(rest, ";") ? `text/plain${rest}` : rest);
  return { type: parsed === undefined ? "text/plain;charset=US-ASCII" : formatMimeType(parsed), isBase64 };
}

function decodeBase64(text: string): string {
  try {
    return `${askWorker("text.atobJson", quoteJson(text)) as string}`;
  } catch {
    throw new PrimordialTypeError("Cannot read the data URL: its base64 is not valid");
  }
}

export function installFetch(global: object): void {
  exposeFunction(global, "fetch", fetch, 1);
}
