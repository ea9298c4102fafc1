/**
 * Authenticates callers by bearer tokens, which are stored as hashes, and checks their scopes (SPEC I4, E5).
 *
 * The scope `call` is for programs and agents, `admin` for the user. Only an admin can answer confirmations, grant and
 * accept, so an agent with a `call` token cannot confirm its own calls.
 */

import type { TokenConfig, TokenScope } from "../../../manifests/mod.ts";
import { toHex } from "../../platform/bytes.ts";
import type { Clock, Random } from "../../platform/platform.ts";
import { sha256Hex } from "../../primitives/digest.ts";

/** The caller of a request. */
export interface HttpCaller {
  /** Unique per token; not secret. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** Role of the sessions that the caller opens. */
  readonly role?: string;
  /** True if the user logged in on the console. */
  readonly isPerson: boolean;
}

/** Tokens of one server. */
export interface HttpTokens {
  /** Finds the caller of an `authorization` field; undefined if its token is unknown. */
  identify(authorization: string | null): Promise<HttpCaller | undefined>;
  /** Returns false if the caller's token was removed or has expired. */
  isKnown(callerId: string): boolean;
  /** Creates a code for one login within ten minutes, to be shown to the user who started the server. */
  issueCode(): Promise<string>;
  /** Exchanges a code for a console token, valid for twelve hours. Resolves with undefined if the code is unknown, used or expired. */
  redeem(code: string): Promise<string | undefined>;
}

interface HttpTokensOptions {
  readonly random: Pick<Random, "bytes">;
  readonly clock: Pick<Clock, "now">;
  /** Returns the configured tokens. */
  readonly tokens: () => readonly TokenConfig[];
}

const CODE_MS = 10 * 60_000;
const PAGE_MS = 12 * 3_600_000;
const MAX_PAGES = 64;
const MAX_TOKEN_LENGTH = 512;
const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

export function createHttpTokens({ random, clock, tokens }: HttpTokensOptions): HttpTokens {
  const codes = new Map<string, number>();
  const pages = new Map<string, { readonly caller: HttpCaller; readonly until: number }>();

  /** Lists the hash and caller of each valid token. */
  function known(): readonly (readonly [string, HttpCaller])[] {
    const given = tokens().map(({ name, sha256, scopes, role }) => {
      return [sha256, toCaller({ name, sha256, scopes, isPerson: false, ...(role !== undefined && { role }) })] as const;
    });
    const open = [...pages].filter(([, { until }]) => clock.now() < until);
    return [...given, ...open.map(([sha256, { caller }]) => [sha256, caller] as const)];
  }

  return {
    isKnown: (callerId) => known().some(([, { id }]) => id === callerId),
    async identify(authorization) {
      const token = BEARER.exec(authorization ?? "")?.[1];
      if (token === undefined || token.length > MAX_TOKEN_LENGTH) return undefined;
      const hash = await hashOf(token);
      // Compare with every token in constant time, so that timing reveals nothing about the hashes.
      let found: HttpCaller | undefined;
      for (const [sha256, caller] of known()) if (isSame(sha256, hash)) found ??= caller;
      return found;
    },
    async issueCode() {
      const code = newToken(random);
      codes.clear();
      codes.set(await hashOf(code), clock.now() + CODE_MS);
      return code;
    },
    async redeem(code) {
      if (code.length > MAX_TOKEN_LENGTH) return undefined;
      const hash = await hashOf(code);
      const until = codes.get(hash);
      // A code works once: if an attacker redeems it first, the user's own login fails and shows that.
      codes.delete(hash);
      if (until === undefined || clock.now() >= until) return undefined;
      const token = newToken(random);
      const sha256 = await hashOf(token);
      for (const [old, { until: end }] of pages) if (end <= clock.now() || pages.size >= MAX_PAGES) pages.delete(old);
      pages.set(sha256, { caller: toCaller({ name: "console", sha256, scopes: ["admin"], isPerson: true }), until: clock.now() + PAGE_MS });
      return token;
    },
  };
}

/** Creates a token of 256 random bits, with a prefix that tells it from other programs' tokens. */
export function newToken(random: Pick<Random, "bytes">): string {
  return `bascule_${toHex(random.bytes(32))}`;
}

/** Returns a token's hash in the form of `bascule.json`. */
export async function hashOf(token: string): Promise<string> {
  return await sha256Hex(token);
}

/** Whether a caller has a scope; `admin` includes all others. */
export function isGoodFor({ scopes }: Pick<HttpCaller, "scopes">, scope: TokenScope): boolean {
  return scopes.includes(scope) || scopes.includes("admin");
}

function toCaller({ sha256, ...rest }: Omit<HttpCaller, "id"> & { readonly sha256: string }): HttpCaller {
  return Object.freeze({ ...rest, id: `${rest.name}-${sha256.slice(0, 16)}` });
}

function isSame(left: string, right: string): boolean {
  let different = left.length ^ right.length;
  for (let index = 0; index < left.length; index += 1) different |= left.charCodeAt(index) ^ right.charCodeAt(index);
  return different === 0;
}
