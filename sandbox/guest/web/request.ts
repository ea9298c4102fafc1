/** `Request` (https://fetch.spec.whatwg.org/#request-class), with Deno's members. */

import { AbortSignal, isAbortSignal } from "./abort.ts";
import { type Body, cloneBody, extractBody, isBodyUsed, isUnusable, mixInBody, proxyBody } from "./body.ts";
import { copyHeaders, fillHeaders, headerFields, Headers, headerValue, setField, toByteString } from "./headers.ts";
import { isToken } from "./mime-type.ts";
import { PrimordialTypeError, stringToUpperCase } from "../language/primordials.ts";
import { toHref } from "./url.ts";
import { exposeInterface, requireArguments, showAs, toDictionary, toDomString, toUsvString } from "./webidl.ts";

/** Captured before any plugin runs. */
const { any } = AbortSignal;

type Choice = "cache" | "credentials" | "mode" | "redirect" | "referrerPolicy";

/** Members that a request only carries, with their allowed values; the first is the default. */
const CHOICES: Readonly<Record<Choice, readonly string[]>> = {
  cache: ["default", "no-store", "reload", "no-cache", "force-cache", "only-if-cached"],
  credentials: ["same-origin", "omit", "include"],
  mode: ["cors", "navigate", "same-origin", "no-cors"],
  redirect: ["follow", "error", "manual"],
  referrerPolicy: [
    ...["", "no-referrer", "no-referrer-when-downgrade", "same-origin", "origin", "strict-origin", "origin-when-cross-origin"],
    ...["strict-origin-when-cross-origin", "unsafe-url"],
  ],
};

const ENUM_NAMES: Readonly<Record<string, string>> = {
  cache: "RequestCache",
  credentials: "RequestCredentials",
  mode: "RequestMode",
  redirect: "RequestRedirect",
  referrerPolicy: "ReferrerPolicy",
};

/** Members of a request besides its body, headers and signal. */
interface RequestFacts {
  readonly method: string;
  readonly url: string;
  readonly choices: Readonly<Record<Choice, string>>;
  readonly integrity: string;
  readonly keepalive: boolean;
  readonly referrer: string;
}

export class Request {
  #facts: RequestFacts;
  #headers = new Headers();
  #signal: AbortSignal;
  #body: Body | null = null;

  constructor(input: unknown, init: unknown = undefined) {
    requireArguments(arguments.length, 1, "construct 'Request'");
    const base = typeof input === "object" && input !== null && access.isRequest(input) ? input : undefined;
    const url = base === undefined ? toHref(toUsvString(input)) : base.#facts.url;
    const given = toDictionary(init, "Failed to construct 'Request'");
    this.#facts = readFacts(given, url, base === undefined ? undefined : base.#facts);
    this.#signal = readSignal(given["signal"], base === undefined ? undefined : base.#signal);
    if (given["headers"] !== undefined) fillHeaders(this.#headers, given["headers"]);
    else if (base !== undefined) copyHeaders(base.#headers, this.#headers);
    this.#body = this.#readBody(given["body"], base);
  }

  #readBody(given: unknown, base: Request | undefined): Body | null {
    const { method } = this.#facts;
    const wanted = given === null ? undefined : given;
    if ((wanted !== undefined || (base !== undefined && base.#body !== null)) && (method === "GET" || method === "HEAD")) {
      throw new PrimordialTypeError("Request with GET/HEAD method cannot have body");
    }
    if (wanted === undefined) return base === undefined ? null : takeBody(base.#body);
    const { body, type } = extractBody(wanted);
    if (type !== undefined && headerValue(this.#headers, "content-type") === null) {
      setField(headerFields(this.#headers), { name: "content-type", value: type });
    }
    return body;
  }

  get method(): string {
    return this.#facts.method;
  }

  get url(): string {
    return this.#facts.url;
  }

  get headers(): Headers {
    return this.#headers;
  }

  get redirect(): string {
    return this.#facts.choices.redirect;
  }

  get cache(): string {
    return this.#facts.choices.cache;
  }

  get credentials(): string {
    return this.#facts.choices.credentials;
  }

  get integrity(): string {
    return this.#facts.integrity;
  }

  get keepalive(): boolean {
    return this.#facts.keepalive;
  }

  get mode(): string {
    return this.#facts.choices.mode;
  }

  get referrer(): string {
    return this.#facts.referrer;
  }

  get referrerPolicy(): string {
    return this.#facts.choices.referrerPolicy;
  }

  get signal(): AbortSignal {
    return this.#signal;
  }

  clone(): Request {
    const body = cloneBody(this.#body);
    const copy = new Request(this.#facts.url);
    copy.#facts = this.#facts;
    copyHeaders(this.#headers, copy.#headers);
    copy.#signal = any([this.#signal]);
    copy.#body = body;
    return copy;
  }

  /** Access to requests for `fetch`, the mixin and the console, removed from the class at boot. */
  static access = {
    isRequest: (value: object): value is Request => #facts in value,
    factsOf: (request: Request): RequestFacts => request.#facts,
    headersOf: (request: Request): Headers => request.#headers,
    signalOf: (request: Request): AbortSignal => request.#signal,
    bodyOf: (self: unknown): Body | null => (self as Request).#body,
    contentTypeOf: (self: unknown): string | null => headerValue((self as Request).#headers, "content-type"),
  };
}

const access = Request.access;
export const requestBody: (request: Request) => Body | null = access.bodyOf;
export const requestHeaders: (request: Request) => Headers = access.headersOf;
export const requestSignal: (request: Request) => AbortSignal = access.signalOf;
export const requestFacts: (request: Request) => RequestFacts = access.factsOf;

/** Takes the body of a request from which another is made. */
function takeBody(body: Body | null): Body | null {
  if (body === null) return null;
  if (isUnusable(body)) throw new PrimordialTypeError("Input request's body is unusable");
  return proxyBody(body);
}

function readFacts(given: Readonly<Record<string, unknown>>, url: string, base: RequestFacts | undefined): RequestFacts {
  const choose = (name: Choice): string => readChoice(name, given[name], base?.choices[name]);
  const { integrity, keepalive, method, referrer } = given;
  checkOther(given);
  const verb = method === undefined ? (base?.method ?? "GET") : toMethod(toByteString(method));
  const choices = {
    cache: choose("cache"),
    credentials: choose("credentials"),
    mode: choose("mode"),
    redirect: choose("redirect"),
    referrerPolicy: choose("referrerPolicy"),
  };
  if (choices.cache === "only-if-cached" && choices.mode !== "same-origin") {
    throw new PrimordialTypeError("The cache mode only-if-cached goes with the mode same-origin only");
  }
  return {
    url,
    choices,
    integrity: integrity === undefined ? (base?.integrity ?? "") : toDomString(integrity),
    keepalive: keepalive === undefined ? (base?.keepalive ?? false) : !!keepalive,
    method: verb,
    referrer: referrer === undefined ? (base?.referrer ?? "about:client") : toReferrer(toUsvString(referrer)),
  };
}

/** Validates members that have no effect here. */
function checkOther(given: Readonly<Record<string, unknown>>): void {
  const { priority, window } = given;
  if (window !== undefined && window !== null) throw new PrimordialTypeError("RequestInit's window can only be null");
  const text = priority === undefined ? "auto" : toDomString(priority);
  if (text === "auto" || text === "high" || text === "low") return;
  throw new PrimordialTypeError(
    `Failed to construct 'Request': The provided value '${text}' is not a valid enum value of type RequestPriority`,
  );
}

function readChoice(name: Choice, value: unknown, inherited: string | undefined): string {
  const allowed: readonly string[] = CHOICES[name];
  if (value === undefined) return inherited ?? allowed[0] ?? "";
  const text = toDomString(value);
  for (let index = 0; index < allowed.length; index++) if (allowed[index] === text && text !== "navigate") return text;
  throw new PrimordialTypeError(
    `Failed to construct 'Request': The provided value '${text}' is not a valid enum value of type ${ENUM_NAMES[name] ?? name}`,
  );
}

function toReferrer(text: string): string {
  if (text === "") return "";
  return toHref(text);
}

/** https://fetch.spec.whatwg.org/#methods */
function toMethod(method: string): string {
  if (!isToken(method)) throw new PrimordialTypeError("Method is not valid");
  const upper = stringToUpperCase(method);
  switch (upper) {
    case "CONNECT":
    case "TRACE":
    case "TRACK":
      throw new PrimordialTypeError("Method is forbidden");
    case "DELETE":
    case "GET":
    case "HEAD":
    case "OPTIONS":
    case "POST":
    case "PUT":
      return upper;
    default:
      return method;
  }
}

function readSignal(given: unknown, inherited: AbortSignal | undefined): AbortSignal {
  const followed = given === undefined ? inherited : given;
  if (followed === null || followed === undefined) return any([]);
  if (typeof followed !== "object" || !isAbortSignal(followed)) {
    throw new PrimordialTypeError("Failed to construct 'Request': signal is not an AbortSignal");
  }
  return any([followed]);
}

export function installRequest(global: object): void {
  Reflect.deleteProperty(Request, "access");
  mixInBody(Request.prototype, access);
  exposeInterface(global, "Request", Request);
  Reflect.defineProperty(Request, "length", { value: 1, configurable: true });
  showAs((value) => {
    if (!access.isRequest(value)) return undefined;
    const { headers, method, redirect, url } = value;
    return { name: "Request", members: { bodyUsed: isBodyUsed(access.bodyOf(value)), headers, method, redirect, url } };
  });
}
