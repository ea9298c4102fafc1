/** Headers, requests, responses, `fetch` and URL patterns, as a plugin sees them. */

import type { ApiGroup } from "./api-group.ts";

const HEADERS = `
type HeadersInit = Iterable<readonly [string, string]> | Record<string, string> | Headers;
declare class Headers {
  constructor(init?: HeadersInit);
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  entries(): IterableIterator<[string, string]>;
  forEach(callback: (value: string, key: string, parent: Headers) => void, thisArg?: any): void;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
`;

/** Members shared by requests and responses. */
const BODY = `
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  formData(): Promise<FormData>;
  json(): Promise<any>;
  text(): Promise<string>;
  textStream(): ReadableStream<string>;`.slice(1);

const MESSAGES = `
type BodyInit =
  | ReadableStream<Uint8Array<ArrayBufferLike>>
  | Blob
  | ArrayBufferView<ArrayBufferLike>
  | ArrayBuffer
  | FormData
  | URLSearchParams
  | string;
type RequestCache = "default" | "force-cache" | "no-cache" | "no-store" | "only-if-cached" | "reload";
type RequestCredentials = "include" | "omit" | "same-origin";
type RequestMode = "cors" | "navigate" | "no-cors" | "same-origin";
type RequestRedirect = "error" | "follow" | "manual";
type ReferrerPolicy =
  | ""
  | "no-referrer"
  | "no-referrer-when-downgrade"
  | "origin"
  | "origin-when-cross-origin"
  | "same-origin"
  | "strict-origin"
  | "strict-origin-when-cross-origin"
  | "unsafe-url";
interface RequestInit {
  body?: BodyInit | null;
  cache?: RequestCache;
  credentials?: RequestCredentials;
  headers?: HeadersInit;
  integrity?: string;
  keepalive?: boolean;
  method?: string;
  mode?: RequestMode;
  redirect?: RequestRedirect;
  referrer?: string;
  referrerPolicy?: ReferrerPolicy;
  signal?: AbortSignal | null;
  window?: null;
}
interface ResponseInit {
  headers?: HeadersInit;
  status?: number;
  statusText?: string;
}
type RequestInfo = Request | string;
declare class Request {
  constructor(input: RequestInfo | URL, init?: RequestInit);
  readonly cache: RequestCache;
  readonly credentials: RequestCredentials;
  readonly headers: Headers;
  readonly integrity: string;
  readonly keepalive: boolean;
  readonly method: string;
  readonly mode: RequestMode;
  readonly redirect: RequestRedirect;
  readonly referrer: string;
  readonly referrerPolicy: ReferrerPolicy;
  readonly signal: AbortSignal;
  readonly url: string;
  clone(): Request;
${BODY}
}
type ResponseType = "basic" | "cors" | "default" | "error" | "opaque" | "opaqueredirect";
declare class Response {
  constructor(body?: BodyInit | null, init?: ResponseInit);
  static error(): Response;
  static json(data: unknown, init?: ResponseInit): Response;
  static redirect(url: string | URL, status?: number): Response;
  readonly headers: Headers;
  readonly ok: boolean;
  readonly redirected: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly type: ResponseType;
  readonly url: string;
  clone(): Response;
${BODY}
}
`;

const FETCH = `
/** Sends a request to a granted host; \`data:\` URLs need no grant. Redirects are checked like requests. */
declare function fetch(input: URL | Request | string, init?: RequestInit): Promise<Response>;
`;

const COMPONENTS = ["hash", "hostname", "password", "pathname", "port", "protocol", "search", "username"];

const PATTERNS = `
interface URLPatternInit {
${COMPONENTS.map((name) => `  ${name}?: string;`).join("\n")}
  baseURL?: string;
}
type URLPatternInput = string | URLPatternInit;
interface URLPatternComponentResult {
  input: string;
  groups: Record<string, string | undefined>;
}
interface URLPatternResult {
  inputs: [URLPatternInit] | [URLPatternInit, string];
${COMPONENTS.map((name) => `  ${name}: URLPatternComponentResult;`).join("\n")}
}
interface URLPatternOptions {
  ignoreCase?: boolean;
}
declare class URLPattern {
  constructor(input: URLPatternInput, baseURL: string, options?: URLPatternOptions);
  constructor(input?: URLPatternInput, options?: URLPatternOptions);
  readonly hasRegExpGroups: boolean;
${COMPONENTS.map((name) => `  readonly ${name}: string;`).join("\n")}
  exec(input?: URLPatternInput, baseURL?: string): URLPatternResult | null;
  test(input?: URLPatternInput, baseURL?: string): boolean;
}
`;

/** The classes are available to every plugin; `fetch` needs "net". */
export const FETCH_API: readonly ApiGroup[] = [{ text: HEADERS }, { text: MESSAGES }, { needs: ["net"], text: FETCH }, { text: PATTERNS }];
