/** Buckets of a memory bus: what a server keeps. Every act is one step, so none can see half of another. */

import { type BucketOptions, BusError, type BusValue } from "../bus/bus-types.ts";
import type { Clock } from "../threads/clock-types.ts";

interface Entry {
  /** Undefined: removed. */
  readonly bytes: Uint8Array | undefined;
  readonly revision: number;
  readonly atMs: number;
}

interface MemoryChange {
  readonly key: string;
  readonly value: BusValue | undefined;
  readonly revision: number;
}

export interface MemoryBucket {
  get(key: string): BusValue | undefined;
  /** Writes if the key's revision is `expected` (0: it has no value; undefined: any). @returns the new revision; undefined if it is another one */
  set(key: string, bytes: Uint8Array | undefined, expected?: number): number | undefined;
  keys(prefix: string): readonly string[];
  /** The newest change of each key that matches, in order, above a revision. */
  changesAfter(revision: number, filter: string): readonly MemoryChange[];
  /** Called after each change. */
  readonly listeners: Set<() => void>;
}

export function createMemoryBucket(name: string, { ttlMs, maxBytes }: BucketOptions, clock: Clock): MemoryBucket {
  const entries = new Map<string, Entry>();
  const listeners = new Set<() => void>();
  let newest = 0;

  function present(): ReadonlyMap<string, Entry> {
    const oldestMs = clock.now() - ttlMs;
    if (ttlMs > 0) for (const [key, { atMs }] of entries) if (atMs <= oldestMs) entries.delete(key);
    return entries;
  }

  function valueOf(key: string): BusValue | undefined {
    const entry = present().get(key);
    return entry?.bytes === undefined ? undefined : { bytes: entry.bytes.slice(), revision: entry.revision };
  }

  return {
    get: valueOf,
    set(key, bytes, expected) {
      if (expected !== undefined && (valueOf(key)?.revision ?? 0) !== expected) return undefined;
      const others = [...present()].reduce((sum, [other, entry]) => sum + (other === key ? 0 : (entry.bytes?.length ?? 0)), 0);
      if (bytes !== undefined && others + bytes.length > maxBytes)
        throw new BusError(
          "too_large",
          `The bucket ${name} is full: it takes ${maxBytes} bytes. Remove values, or wait until old ones expire`,
        );
      newest += 1;
      entries.set(key, { bytes, revision: newest, atMs: clock.now() });
      for (const listener of listeners) listener();
      return newest;
    },
    keys: (prefix) => [...present()].flatMap(([key, { bytes }]) => (bytes !== undefined && key.startsWith(prefix) ? [key] : [])),
    changesAfter: (revision, filter) =>
      [...present()]
        .filter(([key, entry]) => entry.revision > revision && matchesSubject(filter, key))
        .map(([key, entry]) => ({ key, value: valueOf(key), revision: entry.revision }))
        .toSorted((a, b) => a.revision - b.revision),
    listeners,
  };
}

/** Whether a subject matches a filter: `*` is one part, `>` at the end is all parts from there on. */
export function matchesSubject(filter: string, subject: string): boolean {
  const [wanted, parts] = [filter.split("."), subject.split(".")];
  const rest = wanted.at(-1) === ">" ? wanted.length - 1 : undefined;
  if (rest === undefined ? parts.length !== wanted.length : parts.length <= rest) return false;
  return wanted.slice(0, rest).every((part, at) => part === "*" || part === parts[at]);
}
