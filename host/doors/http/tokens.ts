/**
 * Who asks: bearer tokens, known by their hashes, and what each is good for (SPEC I4, E5).
 *
 * `call` is for programs and agents, `admin` is a person's. Only an admin answers questions, grants and accepts: so an agent
 * that was given a `call` token cannot answer the question that its own call raised.
 */

import type { TokenConfig, TokenScope } from "../../../manifests/mod.ts";
import type { Clock, Random } from "../../platform/platform.ts";
import { sha256Hex } from "../../primitives/digest.ts";

/** Whose request it is. */
export interface HttpCaller {
  /** Different for each token; nothing of it is secret. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** Of every session that it opens. */
  readonly role?: string;
  /** Logged in on the console. */
  readonly isPerson: boolean;
}

/** The tokens of one server. */
export interface HttpTokens {
  /** Of an `authorization` field; undefined if it holds no token that is known. */
  identify(authorization: string | null): Promise<HttpCaller | undefined>;
  /** False once the caller's token is none of the server's any more. */
  isKnown(callerId: string): boolean;
  /** A code for one login within ten minutes, to be shown to the person who started the server. */
  issueCode(): Promise<string>;
  /** A token for a page, good for twelve hours, in exchange for a code; undefined if the code is not good (any more). */
  redeem(code: string): Promise<string | undefined>;
}

export interface HttpTokensOptions {
  readonly random: Pick<Random, "bytes">;
  readonly clock: Pick<Clock, "now">;
  /** Those that are good now. */
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

  /** Every good token's hash with its caller. */
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
      // Every one is compared whole: how long it takes says nothing about which came close.
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
      // Whoever comes second with it finds nothing, and the first may have been the wrong one: it is for one login only.
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

/** 256 random bits, told apart from other programs' tokens by their beginning. */
export function newToken(random: Pick<Random, "bytes">): string {
  return `bascule_${Array.from(random.bytes(32), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** A token's hash, as `bascule.json` has it. */
export async function hashOf(token: string): Promise<string> {
  return await sha256Hex(new TextEncoder().encode(token));
}

/** Whether a caller may do what needs a scope. */
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
