/** Keeps the use that quotas count, so that a restart frees none of it (SPEC FR3). Use is kept within 100 ms. */

import type { JsonValue } from "../../manifests/mod.ts";
import type { Clock } from "../platform/platform.ts";
import type { KeptUse, Quotas } from "../policy/quotas/quotas.ts";
import { objectOf } from "../primitives/json/object-of.ts";
import type { SealedSpace } from "../primitives/state/sealed-store.ts";

export interface LastingQuotas {
  /** Notes that the use of a window has changed. */
  note(key: string): void;
  /** Adds the use of hosts that have ended. */
  open(quotas: Pick<Quotas, "useOf" | "restore">): void;
  /** Keeps the latest use. */
  close(): void;
}

interface LastingQuotasOptions {
  /** Rows of the kind `quota`: two hosts that ran together have rows of their own for the same window. */
  readonly store: SealedSpace;
  readonly newId: () => string;
  readonly clock: Pick<Clock, "after" | "now">;
  readonly onDefect: (message: string, error?: unknown) => void;
}

/** Time within which use is kept. */
const SOON_MS = 100;
/** Windows written at a time; the others follow. */
const AT_ONCE = 500;
/** Maximum number of kept windows. Above it the oldest is dropped. */
const MOST = 1_000;

export function createLastingQuotas({ store, newId, clock, onDefect }: LastingQuotasOptions): LastingQuotas {
  const own = newId();
  const changed = new Set<string>();
  /** Keys of the windows that this host keeps. */
  const kept = new Set<string>();
  let quotas: Pick<Quotas, "useOf" | "restore"> | undefined;
  let stopTimer: (() => void) | undefined;
  let isBroken = false;

  function note(key: string): void {
    changed.add(key);
    stopTimer ??= clock.after(SOON_MS, flush);
  }

  function flush(): void {
    stopTimer = undefined;
    write(AT_ONCE);
    if (changed.size > 0) stopTimer = clock.after(SOON_MS, flush);
  }

  function write(most: number): void {
    for (const key of [...changed].slice(0, most)) {
      changed.delete(key);
      try {
        put(key, quotas?.useOf(key));
      } catch (error) {
        if (!isBroken) onDefect("The use of quotas cannot be kept, and ends with this host", error);
        isBroken = true;
      }
    }
  }

  function put(key: string, use: KeptUse | undefined): void {
    const id = `${own} ${key}`;
    if (use === undefined) {
      kept.delete(key);
      return store.delete(id);
    }
    if (!kept.has(key)) makeRoom();
    kept.add(key);
    const amounts = use.amounts.map(({ amount, ageMs }) => [amount, ageMs]);
    const refused = store.put(id, { atMs: clock.now(), key, windowMs: use.windowMs, amounts });
    if (refused !== undefined) throw new Error(refused);
  }

  function makeRoom(): void {
    const rows = store.list();
    const [oldest] = rows;
    if (rows.length < MOST || oldest === undefined) return;
    store.delete(oldest.id);
    if (oldest.id.startsWith(own)) kept.delete(oldest.id.slice(own.length + 1));
  }

  return {
    note,
    open(them) {
      quotas = them;
      const left = store.list().filter(({ id }) => !id.startsWith(own));
      for (const { id } of left) {
        const use = readUse(store.head(id)?.value, clock.now());
        if (use === undefined) continue;
        them.restore(use);
        changed.add(use.key);
      }
      // Kept twice for a moment, rather than not at all.
      write(Infinity);
      for (const { id } of left) store.delete(id);
    },
    close() {
      stopTimer?.();
      write(Infinity);
    },
  };
}

/** The seal proves that a host wrote the row. @returns its use, with its age at this moment */
function readUse(value: JsonValue | undefined, nowMs: number): KeptUse | undefined {
  const { atMs, key, windowMs, amounts } = objectOf(value) ?? {};
  if (typeof atMs !== "number" || typeof key !== "string" || typeof windowMs !== "number" || !Array.isArray(amounts)) return undefined;
  // A clock that was set back makes nothing younger.
  const gapMs = Math.max(0, nowMs - atMs);
  const used = (amounts as readonly JsonValue[]).flatMap((one) => {
    const [amount, ageMs] = Array.isArray(one) ? (one as readonly JsonValue[]) : [];
    return typeof amount === "number" && typeof ageMs === "number" ? [{ amount, ageMs: ageMs + gapMs }] : [];
  });
  return { key, windowMs, amounts: used };
}
