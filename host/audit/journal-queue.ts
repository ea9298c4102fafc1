/** Journal rows that wait to be written, with a share for each plugin and each caller (SPEC LV3). */

import type { HostEvent } from "./events.ts";

export interface QueuedRow {
  readonly text: string;
  readonly holders: RowHolders;
}

/** The holders that a row counts for, and their shares. */
type RowHolders = readonly (readonly [holder: string, share: number])[];

/**
 * Shares in characters. Calls of a holder above its share wait for the journal. A caller's share is smaller than a plugin's, so that it
 * leaves room for others.
 */
const QUEUE_SHARES: { readonly plugin: number; readonly caller: number } = { plugin: 2 * 1024 * 1024, caller: 1024 * 1024 };
const MAX_ROWS = 10_000;

export class JournalQueue<Row extends QueuedRow> {
  #rows: Row[] = [];
  /** Unwritten characters by holder. */
  readonly #held: Map<string, number> = new Map();

  get length(): number {
    return this.#rows.length;
  }

  get last(): Row | undefined {
    return this.#rows.at(-1);
  }

  [Symbol.iterator](): IterableIterator<Row> {
    return this.#rows.values();
  }

  /** @returns whether one of its holders exceeds its share */
  add(row: Row): boolean {
    this.#rows.push(row);
    let isOver = false;
    for (const [holder, share] of row.holders) {
      const held = (this.#held.get(holder) ?? 0) + row.text.length;
      this.#held.set(holder, held);
      isOver ||= held > share;
    }
    return isOver;
  }

  /** Takes the oldest rows, up to `maxLength` characters plus the rest of the last row. They count until they are released. */
  take(maxLength: number): readonly Row[] {
    let count = 0;
    for (let size = 0; count < this.#rows.length && size < maxLength; count++) size += this.#rows[count]?.text.length ?? 0;
    return this.#rows.splice(0, count);
  }

  /** Returns rows that were taken and could not be written. */
  putBack(rows: readonly Row[]): void {
    this.#rows = [...rows, ...this.#rows];
  }

  release({ holders, text }: Row): void {
    for (const [holder] of holders) {
      const left = (this.#held.get(holder) ?? 0) - text.length;
      if (left > 0) this.#held.set(holder, left);
      else this.#held.delete(holder);
    }
  }

  /** Removes one row if there are too many: the oldest of the holder that uses most of its share. */
  drop(): Row | undefined {
    if (this.#rows.length <= MAX_ROWS) return undefined;
    let largest = "";
    let most = 0;
    for (const [holder, held] of this.#held) {
      const part = held / (holder.startsWith(CALLER) ? QUEUE_SHARES.caller : QUEUE_SHARES.plugin);
      if (part > most) [largest, most] = [holder, part];
    }
    const index = this.#rows.findIndex(({ holders }) => holders.some(([holder]) => holder === largest));
    const [row] = this.#rows.splice(Math.max(0, index), 1);
    if (row !== undefined) this.release(row);
    return row;
  }
}

const CALLER = "caller ";
/** Holder of events without plugin and session. */
const HOST: RowHolders = [["host", QUEUE_SHARES.plugin]];

/** Returns the holders of an event's row with their shares: its plugin and its caller, or the host if it has neither. */
export function holdersOf({ plugin }: HostEvent, caller: string | undefined): RowHolders {
  const held: RowHolders = plugin === undefined ? [] : [[`plugin ${plugin}`, QUEUE_SHARES.plugin]];
  if (caller === undefined) return plugin === undefined ? HOST : held;
  return [...held, [CALLER + caller, QUEUE_SHARES.caller]];
}

/**
 * Returns a function that finds the caller of each event, in order: the owner of its session as in `sessionOwner`, whatever plugins it
 * calls.
 */
export function createCallers(): (event: HostEvent) => string | undefined {
  /** Owners by open session; bounded by the number of sessions. */
  const owners = new Map<string, string>();
  return ({ type, sessionId, payload }) => {
    if (sessionId === undefined) return undefined;
    const opened: unknown = type === "session.opened" ? payload["owner"] : undefined;
    if (typeof opened === "string") owners.set(sessionId, opened);
    const caller = owners.get(sessionId) ?? sessionId;
    if (type === "session.closed") owners.delete(sessionId);
    return caller;
  };
}
