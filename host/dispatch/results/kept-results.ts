/**
 * Keeps oversized results for a while, so that callers can read them in ranges (SPEC X6).
 *
 * A handle is a random number and valid only in its session; in any other session it is unknown.
 */

import type { Session } from "../../call/session.ts";
import { toHex } from "../../platform/bytes.ts";
import type { Platform } from "../../platform/platform.ts";

/** A part of a kept result. Ranges never split a character, so they may differ from the request by a few bytes. */
export interface KeptRange {
  readonly text: string;
  /** Start of the text in bytes of UTF-8. */
  readonly offset: number;
  readonly totalBytes: number;
  /** Offset of the next range; absent at the end. */
  readonly nextOffset?: number;
}

/** A range in bytes of UTF-8. */
export interface KeptRangeOptions {
  /** Default 0. */
  readonly offset?: number;
  /** Default and maximum 256 KiB. */
  readonly length?: number;
  /** Whether the range becomes a result itself: it must fit the session's limit, including JSON escapes. */
  readonly asResult?: boolean;
}

/** The kept results of one host. */
export interface KeptResults {
  /**
   * @param text bytes are kept without a copy, and once even if they are kept repeatedly
   * @returns the handle; undefined if the text exceeds what the session may keep
   */
  keep(session: Pick<Session, "id" | "owner" | "resultBytes">, text: string | Uint8Array): string | undefined;
  /** @returns undefined if the session has no such result, or it has expired. */
  read(sessionId: string, handle: string, options?: KeptRangeOptions): KeptRange | undefined;
  /** Drops the results of an ended session. */
  endSession(sessionId: string): void;
}

const MIB = 1024 * 1024;
/** Limits for all sessions, and for all sessions of one owner. */
const MAX_BYTES = 64 * MIB;
const MAX_OWNER_BYTES = 32 * MIB;
/** Lifetime since the last read. Checked on every `keep` and `read`. */
const KEPT_MS = 15 * 60_000;
const MAX_RANGE_BYTES = 256 * 1024;
/** Bytes around a range that is a result. */
const AROUND_BYTES = 512;
/** Maximum JSON bytes of one byte. */
const ESCAPED = 6;

interface Kept {
  readonly sessionId: string;
  /** The session's owner, or the session itself. */
  readonly owner: string;
  readonly bytes: Uint8Array;
  readonly takesBytes: number;
  untilMs: number;
}

export function createKeptResults({ clock, random }: Pick<Platform, "clock" | "random">): KeptResults {
  /** Ordered from least to most recently used. */
  const kept = new Map<string, Kept>();
  const handles = new WeakMap<Uint8Array, string>();

  function bytesByOwner(): Map<string, number> {
    const byOwner = new Map<string, number>();
    for (const { owner, bytes } of kept.values()) byOwner.set(owner, (byOwner.get(owner) ?? 0) + bytes.length);
    return byOwner;
  }

  function forgetOldest(owner: string): void {
    for (const [handle, one] of kept) if (one.owner === owner) return void kept.delete(handle);
  }

  /**
   * Evicts results. An owner above its share loses its own oldest first, then the owner that keeps the most: an owner with many sessions
   * evicts no other's.
   */
  function makeRoom(owner: string, wanted: number): void {
    for (let byOwner = bytesByOwner(); byOwner.size > 0; byOwner = bytesByOwner()) {
      const own = (byOwner.get(owner) ?? 0) + wanted;
      const all = [...byOwner.values()].reduce((total, bytes) => total + bytes, wanted);
      if (own <= MAX_OWNER_BYTES && all <= MAX_BYTES) return;
      const [most = owner] = [...byOwner].toSorted(([, a], [, b]) => b - a)[0] ?? [];
      forgetOldest(own > MAX_OWNER_BYTES ? owner : most);
    }
  }

  function forgetExpired(now: number): void {
    for (const [handle, one] of kept) if (one.untilMs <= now) kept.delete(handle);
  }

  return {
    keep({ id: sessionId, owner = sessionId, resultBytes: takesBytes }, text) {
      const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
      if (bytes.length > MAX_OWNER_BYTES) return undefined;
      const now = clock.monotonic();
      forgetExpired(now);
      const known = handles.get(bytes);
      if (known !== undefined && kept.get(known)?.sessionId === sessionId) return known;
      makeRoom(owner, bytes.length);
      const handle = toHex(random.bytes(16));
      kept.set(handle, { sessionId, owner, bytes, takesBytes, untilMs: now + KEPT_MS });
      handles.set(bytes, handle);
      return handle;
    },
    read(sessionId, handle, { offset = 0, length = MAX_RANGE_BYTES, asResult = false } = {}) {
      const now = clock.monotonic();
      forgetExpired(now);
      const found = kept.get(handle);
      if (found === undefined || found.sessionId !== sessionId) return undefined;
      found.untilMs = now + KEPT_MS;
      kept.delete(handle);
      kept.set(handle, found);
      const most = asResult ? Math.floor((found.takesBytes - AROUND_BYTES) / ESCAPED) : MAX_RANGE_BYTES;
      return rangeOf(found.bytes, offset, Math.min(length, most, MAX_RANGE_BYTES));
    },
    endSession(sessionId) {
      for (const [handle, one] of kept) if (one.sessionId === sessionId) kept.delete(handle);
    },
  };
}

function rangeOf(bytes: Uint8Array, offset: number, length: number): KeptRange {
  const begin = nextCharacter(bytes, Math.min(Math.max(0, Math.floor(offset)), bytes.length));
  let end = Math.min(begin + Math.max(1, Math.floor(length)), bytes.length);
  while (end > begin && isInside(bytes, end)) end--;
  // A character longer than the requested length is returned as a whole, so that reading advances.
  if (end === begin) end = nextCharacter(bytes, Math.min(begin + 1, bytes.length));
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(begin, end));
  return { text, offset: begin, totalBytes: bytes.length, ...(end < bytes.length && { nextOffset: end }) };
}

function nextCharacter(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isInside(bytes, at)) at++;
  return at;
}

/** Returns whether a position lies within a character. */
function isInside(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0) & 0b1100_0000) === 0b1000_0000;
}
