/** `URL` (https://url.spec.whatwg.org/#url-class). The worker's runtime parses; the guest keeps the parts. */

import { askWorker } from "../call/channel.ts";
import { objectToJson } from "../language/json-text.ts";
import { PrimordialTypeError } from "../language/primordials.ts";
import { installSearchParams, makeSearchParams, updateSearchParams, type URLSearchParams } from "./url-search-params.ts";
import { exposeInterface, requireArguments, showAs, toUsvString } from "./webidl.ts";

/** Answer of `url.parse` and `url.set`: the parts under the names of the getters. */
interface Parts {
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

/** @returns undefined if the text is not a URL */
function parse(url: unknown, base: unknown): Parts | undefined {
  const args = { __proto__: null, url: toUsvString(url), base: base === undefined ? undefined : toUsvString(base) };
  // `url.parse` returns the parts or null.
  return (askWorker("url.parse", objectToJson(args)) as Parts | null) ?? undefined;
}

/** Returns the serialised URL. @throws {TypeError} if the text is not a URL, like the constructor */
export function toHref(url: string): string {
  const parts = parse(url, undefined);
  if (parts === undefined) throw new PrimordialTypeError(`Invalid URL: '${url}'`);
  return parts.href;
}

export class URL {
  #parts: Parts;
  #searchParams: URLSearchParams | undefined;

  constructor(url: unknown, base: unknown = undefined) {
    requireArguments(arguments.length, 1, "construct 'URL'");
    const parts = parse(url, base);
    if (parts === undefined) {
      const against = base === undefined ? "" : ` with base '${toUsvString(base)}'`;
      throw new PrimordialTypeError(`Invalid URL: '${toUsvString(url)}'${against}`);
    }
    this.#parts = parts;
  }

  static canParse(url: unknown, base: unknown = undefined): boolean {
    requireArguments(arguments.length, 1, "execute 'URL.canParse'");
    return parse(url, base) !== undefined;
  }

  static parse(url: unknown, base: unknown = undefined): URL | null {
    requireArguments(arguments.length, 1, "execute 'URL.parse'");
    return parse(url, base) === undefined ? null : new URL(url, base);
  }

  #set(name: string, value: unknown): void {
    const args = { __proto__: null, href: this.#parts.href, name, value: toUsvString(value) };
    // `url.set` returns the parts, unchanged if the setter refused the value.
    this.#parts = askWorker("url.set", objectToJson(args)) as Parts;
    if ((name === "search" || name === "href") && this.#searchParams !== undefined)
      updateSearchParams(this.#searchParams, this.#parts.search);
  }

  get href(): string {
    return this.#parts.href;
  }

  set href(value: unknown) {
    const parts = parse(value, undefined);
    if (parts === undefined) throw new PrimordialTypeError(`Invalid URL: '${toUsvString(value)}'`);
    this.#parts = parts;
    if (this.#searchParams !== undefined) updateSearchParams(this.#searchParams, parts.search);
  }

  get origin(): string {
    return this.#parts.origin;
  }

  get protocol(): string {
    return this.#parts.protocol;
  }

  set protocol(value: unknown) {
    this.#set("protocol", value);
  }

  get username(): string {
    return this.#parts.username;
  }

  set username(value: unknown) {
    this.#set("username", value);
  }

  get password(): string {
    return this.#parts.password;
  }

  set password(value: unknown) {
    this.#set("password", value);
  }

  get host(): string {
    return this.#parts.host;
  }

  set host(value: unknown) {
    this.#set("host", value);
  }

  get hostname(): string {
    return this.#parts.hostname;
  }

  set hostname(value: unknown) {
    this.#set("hostname", value);
  }

  get port(): string {
    return this.#parts.port;
  }

  set port(value: unknown) {
    this.#set("port", value);
  }

  get pathname(): string {
    return this.#parts.pathname;
  }

  set pathname(value: unknown) {
    this.#set("pathname", value);
  }

  get search(): string {
    return this.#parts.search;
  }

  set search(value: unknown) {
    this.#set("search", value);
  }

  get searchParams(): URLSearchParams {
    this.#searchParams ??= makeSearchParams(this.#parts.search, (query) => this.#setQuery(query));
    return this.#searchParams;
  }

  #setQuery(query: string): void {
    const args = { __proto__: null, href: this.#parts.href, name: "search", value: query };
    this.#parts = askWorker("url.set", objectToJson(args)) as Parts;
  }

  get hash(): string {
    return this.#parts.hash;
  }

  set hash(value: unknown) {
    this.#set("hash", value);
  }

  toString(): string {
    return this.#parts.href;
  }

  toJSON(): string {
    return this.#parts.href;
  }

  /** Returns the parts of a URL, whatever its prototype is; removed from the class at boot. */
  static partsOf(this: void, value: object): Parts | undefined {
    return #parts in value ? value.#parts : undefined;
  }
}

/** Returns the parts if the value is a URL. */
export const urlParts: (value: object) => Parts | undefined = URL.partsOf;

export function installUrl(global: object): void {
  Reflect.deleteProperty(URL, "partsOf");
  exposeInterface(global, "URL", URL);
  installSearchParams(global);
  showAs((value) => {
    const parts = urlParts(value);
    if (parts === undefined) return undefined;
    const { href, origin, protocol, username, password, host, hostname, port, pathname, hash, search } = parts;
    const members = { href, origin, protocol, username, password, host, hostname, port, pathname, hash, search };
    return { name: "URL", members };
  });
}
