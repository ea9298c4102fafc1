/** `Response` (https://fetch.spec.whatwg.org/#response-class). */

import { type Body, bodyStream, cloneBody, extractBody, type Extracted, isBodyUsed, mixInBody, ofBytes } from "./body.ts";
import { encodeUtf8 } from "./encoding.ts";
import { copyHeaders, fillHeaders, freezeHeaders, headerFields, Headers, headerValue, setField, toByteString } from "./headers.ts";
import { jsonStringify, PrimordialRangeError, PrimordialTypeError, stringCharCodeAt } from "../language/primordials.ts";
import { toHref } from "./url.ts";
import { exposeInterface, nameFunction, requireArguments, showAs, toDictionary, toUsvString } from "./webidl.ts";

/** Members of a response besides its body and headers. */
interface ResponseFacts {
  readonly status: number;
  readonly statusText: string;
  readonly type: "default" | "error" | "basic";
  readonly url: string;
  readonly redirected: boolean;
}

const DEFAULTS: ResponseFacts = { status: 200, statusText: "", type: "default", url: "", redirected: false };

export class Response {
  #facts: ResponseFacts;
  #headers = new Headers();
  #body: Body | null;

  constructor(body: unknown = null, init: unknown = undefined) {
    if (made !== undefined) {
      this.#facts = made.facts;
      this.#body = made.body;
      this.#headers = made.headers;
      return;
    }
    const extracted = body === null || body === undefined ? undefined : extractBody(body);
    this.#facts = readInit(init, this.#headers, extracted);
    this.#body = extracted?.body ?? null;
  }

  static error(): Response {
    return createResponse({ ...DEFAULTS, status: 0, type: "error" }, frozen(new Headers()), null);
  }

  static redirect(url: unknown, status: unknown = 302): Response {
    requireArguments(arguments.length, 1, "execute 'Response.redirect'");
    const href = toHref(toUsvString(url));
    const code = toUnsignedShort(status);
    if (code !== 301 && code !== 302 && code !== 303 && code !== 307 && code !== 308) {
      throw new PrimordialRangeError(`Invalid redirect status code: ${code}`);
    }
    const headers = new Headers();
    setField(headerFields(headers), { name: "location", value: href });
    return createResponse({ ...DEFAULTS, status: code }, frozen(headers), null);
  }

  static json(data: unknown, init: unknown = undefined): Response {
    requireArguments(arguments.length, 1, "execute 'Response.json'");
    const text = jsonStringify(data);
    if (text === undefined) throw new PrimordialTypeError("Value is not JSON serializable");
    const headers = new Headers();
    const extracted = { body: ofBytes(encodeUtf8(text)), type: "application/json" };
    return createResponse(readInit(init, headers, extracted), headers, extracted.body);
  }

  get type(): string {
    return this.#facts.type;
  }

  get url(): string {
    return this.#facts.url;
  }

  get redirected(): boolean {
    return this.#facts.redirected;
  }

  get status(): number {
    return this.#facts.status;
  }

  get ok(): boolean {
    return this.#facts.status >= 200 && this.#facts.status <= 299;
  }

  get statusText(): string {
    return this.#facts.statusText;
  }

  get headers(): Headers {
    return this.#headers;
  }

  clone(): Response {
    const body = cloneBody(this.#body);
    const headers = new Headers();
    copyHeaders(this.#headers, headers);
    return createResponse(this.#facts, headers, body);
  }

  /** Access to responses for the mixin and the console, removed from the class at boot. */
  static access = {
    isResponse: (value: object): value is Response => #facts in value,
    bodyOf: (self: unknown): Body | null => (self as Response).#body,
    contentTypeOf: (self: unknown): string | null => headerValue((self as Response).#headers, "content-type"),
  };
}

const access = Response.access;

/** The prelude passes this instead of a body. */
let made: { readonly facts: ResponseFacts; readonly headers: Headers; readonly body: Body | null } | undefined;

/** Creates a response for the prelude; it owns the headers and the body. */
export function createResponse(facts: ResponseFacts, headers: Headers, body: Body | null): Response {
  made = { facts, headers, body };
  try {
    return new Response();
  } finally {
    made = undefined;
  }
}

function frozen(headers: Headers): Headers {
  freezeHeaders(headers);
  return headers;
}

/** https://fetch.spec.whatwg.org/#initialize-a-response */
function readInit(init: unknown, headers: Headers, extracted: Extracted | undefined): ResponseFacts {
  const given = toDictionary(init, "Failed to construct 'Response'");
  const fields = given["headers"];
  if (fields !== undefined) fillHeaders(headers, fields);
  const status = given["status"] === undefined ? 200 : toUnsignedShort(given["status"]);
  const statusText = given["statusText"] === undefined ? "" : toByteString(given["statusText"]);
  if (status !== 101 && (status < 200 || status > 599)) {
    throw new PrimordialRangeError(`The status provided (${status}) is not equal to 101 and outside the range [200, 599]`);
  }
  if (!isReasonPhrase(statusText)) throw new PrimordialTypeError(`Invalid status text: "${statusText}"`);
  if (extracted !== undefined && (status === 101 || status === 204 || status === 205 || status === 304)) {
    throw new PrimordialTypeError("Response with null body status cannot have body");
  }
  if (extracted?.type !== undefined && headerValue(headers, "content-type") === null) {
    setField(headerFields(headers), { name: "content-type", value: extracted.type });
  }
  return { ...DEFAULTS, status, statusText };
}

function toUnsignedShort(value: unknown): number {
  return +(value as number) & 0xffff;
}

/** https://httpwg.org/specs/rfc9112.html#status.line */
function isReasonPhrase(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = stringCharCodeAt(text, index);
    if (code !== 0x09 && (code < 0x20 || code === 0x7f)) return false;
  }
  return true;
}

export function installResponse(global: object): void {
  Reflect.deleteProperty(Response, "access");
  mixInBody(Response.prototype, access);
  exposeInterface(global, "Response", Response);
  nameFunction(Response, "Response", 0);
  showAs((value) => {
    if (!access.isResponse(value)) return undefined;
    const { headers, ok, redirected, status, statusText, url } = value;
    const body = access.bodyOf(value);
    const members = {
      body: body === null ? null : bodyStream(body),
      bodyUsed: isBodyUsed(body),
      headers,
      ok,
      redirected,
      status,
      statusText,
      url,
    };
    return { name: "Response", members };
  });
}
