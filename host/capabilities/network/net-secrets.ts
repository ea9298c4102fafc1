/** Inserts secrets into requests and removes them from responses: the only place where a value meets its placeholder (SPEC C7). */

import { type ByteReplacer, createByteSearch } from "../secrets/byte-search.ts";
import { type CallSecrets, type IssuedSecret, PLACEHOLDER } from "../secrets/call-secrets.ts";
import { formEncoded, jsonEscaped, percentEncoded, toBinary } from "../secrets/secret-forms.ts";
import type { HttpField, HttpRequest, HttpResponse } from "../../platform/network/network-types.ts";
import type { BridgeContext } from "../bridge.ts";
import { MAX_REQUEST_FIELD_BYTES, MAX_URL_LENGTH } from "./net-limits.ts";
import type { Hop } from "./net-redirect.ts";

/** A request with values in place of placeholders. It is passed to the network only. */
interface Disclosed {
  readonly ok: true;
  /** Same object as the hop's URL if it holds no placeholder. */
  readonly url: URL;
  readonly fields: readonly HttpField[];
  readonly body: HttpRequest["body"];
  /** Returns why a streamed body was stopped. */
  readonly refusal: () => string | undefined;
}

type DisclosedOutcome = Disclosed | { readonly ok: false; readonly message: string };

/** Values are much longer than placeholders, so this bounds how much a request can grow. */
const MAX_USES = 64;

/**
 * Inserts the values of a hop: in path, query, header values (also inside Basic credentials) and body. A placeholder that may not go to
 * this host refuses the whole request.
 */
export function disclose(hop: Hop, body: HttpRequest["body"], context: Pick<BridgeContext, "secrets" | "record">): DisclosedOutcome {
  const { secrets } = context;
  const uses = createUses(hop, context);
  try {
    const url = revealUrl(hop.url, uses);
    const fields = hop.fields.map(([name, value]): HttpField => [name, revealField(name, value, uses)]);
    if (fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > 2 * MAX_REQUEST_FIELD_BYTES)
      throw new Refused("The request's headers are too long with the secrets inserted");
    const escape = escapeOf(hop.fields);
    const sent =
      body === undefined || body instanceof Uint8Array
        ? body && revealBytes(body, { uses, secrets, escape })
        : revealPieces(body, { uses, secrets, escape });
    return { ok: true, url, fields, body: sent, refusal: uses.refusal };
  } catch (thrown) {
    if (thrown instanceof Refused) return { ok: false, message: thrown.message };
    throw thrown;
  }
}

/** Replaces values in a response with placeholders, so that a server that echoes a value does not disclose it. */
export function withoutValues(response: HttpResponse, secrets: CallSecrets): HttpResponse {
  const open = secrets.scrubber();
  if (open === undefined) return response;
  const body = open();
  const scrub = (text: string, encode = bytesOf): string => scrubText(text, open(), encode);
  let isOver = false;
  return {
    status: response.status,
    statusText: scrub(response.statusText, (text) => UTF8.encode(text)),
    fields: response.fields.map(([name, value]): HttpField => [scrub(name), scrub(value)]),
    close: () => response.close(),
    async read() {
      while (!isOver) {
        const piece = await response.read();
        isOver = piece === undefined;
        const clean = piece === undefined ? body.end() : body.push(piece);
        // The scrubber may hold back a piece shorter than the longest value, until the next one.
        if (clean.length > 0) return clean;
      }
      return undefined;
    },
  };
}

class Refused extends Error {}

/** Supplies the values for one request, and remembers why it refused. */
interface Uses {
  value(secret: IssuedSecret): string;
  unknown(placeholder: string): never;
  refusal(): string | undefined;
  readonly secrets: CallSecrets;
}

function createUses({ url }: Hop, { secrets, record }: Pick<BridgeContext, "secrets" | "record">): Uses {
  const told = new Set<string>();
  let used = 0;
  let refusal: string | undefined;
  const refuse = (message: string): never => {
    refusal = message;
    throw new Refused(message);
  };
  const tell = (decision: "granted" | "denied", { name }: IssuedSecret): void => {
    if (told.has(name)) return;
    told.add(name);
    record({ decision, permission: "env", value: name, layer: "secret", rule: url.host });
  };
  return {
    secrets,
    refusal: () => refusal,
    unknown: (placeholder) => refuse(`Unknown secret placeholder "${placeholder}" (read the variable again in each call)`),
    value(secret) {
      const problem = secret.refusal(url);
      tell(problem === undefined ? "granted" : "denied", secret);
      if (problem !== undefined) return refuse(problem);
      if (++used > MAX_USES) return refuse(`A request can use secrets at most ${MAX_USES} times`);
      return secret.value;
    },
  };
}

function revealText(text: string, uses: Uses, escape: (value: string) => string): string {
  return text.replace(PLACEHOLDER, (placeholder) => {
    const secret = uses.secrets.issued.get(placeholder);
    return secret === undefined ? uses.unknown(placeholder) : escape(uses.value(secret));
  });
}

function revealUrl(url: URL, uses: Uses): URL {
  const path = revealText(url.pathname, uses, percentEncoded);
  const search = revealText(url.search, uses, percentEncoded);
  if (path === url.pathname && search === url.search) return url;
  const revealed = new URL(url);
  revealed.pathname = path;
  revealed.search = search;
  if (revealed.href.length > MAX_URL_LENGTH) throw new Refused(`A URL has at most ${MAX_URL_LENGTH} characters, secrets included`);
  return revealed;
}

const BASIC = /^(basic +)([A-Za-z0-9+/]+={0,2})$/i;

function revealField(name: string, value: string, uses: Uses): string {
  const [, scheme, packed] = (name === "authorization" && BASIC.exec(value)) || [];
  if (scheme !== undefined && packed !== undefined && packed.length % 4 !== 1) {
    const credentials = atob(packed);
    const revealed = revealText(credentials, uses, bytesAsText);
    if (revealed !== credentials) return `${scheme}${btoa(revealed)}`;
  }
  return revealText(value, uses, asFieldValue);
}

/** RFC 9110 §5.5: a value with a line end would begin another header. */
function asFieldValue(value: string): string {
  const text = bytesAsText(value);
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text;
  throw new Refused("A secret with control characters cannot be used in a header");
}

const UTF8 = new TextEncoder();

/** Headers are bytes, one character each. */
function bytesAsText(value: string): string {
  return toBinary(UTF8.encode(value));
}

/** Returns the escape for the body's type, so that a value cannot end the string around it. */
function escapeOf(fields: readonly HttpField[]): (value: string) => string {
  const type =
    fields
      .find(([name]) => name === "content-type")?.[1]
      .split(";")[0]
      ?.trim()
      .toLowerCase() ?? "";
  if (type === "application/json" || type.endsWith("+json")) return jsonEscaped;
  return type === "application/x-www-form-urlencoded" ? formEncoded : (value) => value;
}

interface BodyOptions {
  readonly uses: Uses;
  readonly secrets: CallSecrets;
  readonly escape: (value: string) => string;
}

function revealBytes(bytes: Uint8Array, options: BodyOptions): Uint8Array {
  const replacer = openReplacer(options);
  const [begun, rest] = [replacer.push(bytes), replacer.end()];
  if (!replacer.hasFound) return bytes;
  const whole = new Uint8Array(begun.length + rest.length);
  whole.set(begun);
  whole.set(rest, begun.length);
  return whole;
}

async function* revealPieces(pieces: AsyncIterable<Uint8Array>, options: BodyOptions): AsyncGenerator<Uint8Array> {
  const { issued } = options.secrets;
  let count = issued.size;
  let replacer = openReplacer(options);
  for await (const piece of pieces) {
    // The guest read another secret meanwhile.
    if (issued.size !== count) {
      yield replacer.end();
      count = issued.size;
      replacer = openReplacer(options);
    }
    const clean = replacer.push(piece);
    if (clean.length > 0) yield clean;
  }
  yield replacer.end();
}

function openReplacer({ uses, secrets, escape }: BodyOptions): ReturnType<ReturnType<typeof createByteSearch>["open"]> {
  const issued = [...secrets.issued.values()];
  const needles = issued.map(({ placeholder }, group) => ({ bytes: UTF8.encode(placeholder), group }));
  return createByteSearch(needles).open((group) => {
    const secret = issued[group];
    return secret === undefined ? new Uint8Array() : UTF8.encode(escape(uses.value(secret)));
  });
}

/** Headers are bytes, one character each. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function scrubText(text: string, replacer: ByteReplacer, encode: (text: string) => Uint8Array): string {
  const clean = toBinary(replacer.push(encode(text))) + toBinary(replacer.end());
  return replacer.hasFound ? clean : text;
}
