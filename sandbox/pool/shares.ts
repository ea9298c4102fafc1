/**
 * A budget shared by parties: each has a share of the whole, claims above it wait, and waiting parties take turns.
 *
 * A party that takes its whole share and also floods its queue costs the others at most the wait for their turn (SPEC LV3).
 */

/** A claim on part of the budget. */
export interface Claim {
  readonly size: number;
  /** The plugin. Parties take turns. */
  readonly party: string;
  /** The call. Lines of one party take turns. */
  readonly line: unknown;
  /** Holders that the claim is counted for, and how much each may hold at once. */
  readonly within: readonly (readonly [holder: unknown, share: number])[];
}

/** The holder of a resource: a plugin's code, and the owner of the session that calls it (a token). */
export interface Holder {
  /** Plugin that holds it. Absent: the host. */
  readonly owner?: string;
  /** Owner of the session. Absent: no caller in particular. */
  readonly caller?: string;
}

/** Shares of a plugin, of a caller across all plugins, and of one caller within a plugin's share. */
export interface HolderShares {
  readonly plugin: number;
  readonly caller: number;
  readonly callerOfPlugin: number;
}

/** Returns a claim of size 1. @param of name of the resource, if one budget counts several resources separately */
export function claimOf({ owner = HOST, caller }: Holder, line: unknown, shares: HolderShares, of: string = ""): Claim {
  const party = `${of} plugin ${owner}`;
  const called =
    caller === undefined
      ? []
      : ([
          [`${of} caller ${caller}`, shares.caller],
          [`${party} caller ${caller}`, shares.callerOfPlugin],
        ] as const);
  return { size: 1, party, line, within: [[party, shares.plugin], ...called] };
}

/** Owner of the host's own claims. Names of plugins are never empty. */
const HOST = "";

/** Gives back what was claimed. Idempotent. */
export type GiveBack = () => void;

interface Waiting {
  readonly claim: Claim;
  grant(taken: GiveBack): void;
}

export class Shares {
  readonly #whole: number;
  readonly #floor: number;
  readonly #held: Map<unknown, number> = new Map();
  #taken = 0;
  /** Waiting claims by party and line, both in round-robin order. Empty lines are removed. */
  readonly #waiting: Map<string, Map<unknown, Waiting[]>> = new Map();

  /**
   * @param whole total that all parties may hold
   * @param floor size that a party holding nothing may always take. Default 0
   */
  constructor(whole: number, floor: number = 0) {
    this.#whole = whole;
    this.#floor = floor;
  }

  /** Takes the claim now or when its turn comes. Returns undefined if the signal is aborted first. */
  async take(claim: Claim, signal: AbortSignal): Promise<GiveBack | undefined> {
    if (signal.aborted) return undefined;
    if (this.#waiting.size === 0) {
      const taken = this.takeNow(claim);
      if (taken !== undefined) return taken;
    }
    return await new Promise((resolve) => {
      const waiting: Waiting = {
        claim,
        grant(taken) {
          signal.removeEventListener("abort", leave);
          resolve(taken);
        },
      };
      const leave = (): void => {
        this.#remove(waiting);
        resolve(undefined);
        // Other claims may have waited behind this one.
        this.#grantWaiting();
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#add(waiting);
      this.#grantWaiting();
    });
  }

  /** Takes the claim if there is room, ahead of waiting claims. */
  takeNow(claim: Claim): GiveBack | undefined {
    return this.#blocker(claim) === undefined ? this.#grant(claim) : undefined;
  }

  /** Returns the bound that blocks the claim, if any. A claim larger than a share is granted alone. */
  #blocker({ size, party, within }: Claim): "share" | "whole" | undefined {
    for (const [holder, share] of within) {
      const held = this.#held.get(holder) ?? 0;
      if (held > 0 && held + size > share) return "share";
    }
    if (this.#taken === 0 || this.#taken + size <= this.#whole) return undefined;
    return size <= this.#floor && !this.#held.has(party) ? undefined : "whole";
  }

  #grant({ size, party, within }: Claim): GiveBack {
    const holders = new Set([party, ...within.map(([holder]) => holder)]);
    this.#count(holders, size);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#count(holders, -size);
      this.#grantWaiting();
    };
  }

  #count(holders: ReadonlySet<unknown>, by: number): void {
    this.#taken += by;
    for (const holder of holders) {
      const held = (this.#held.get(holder) ?? 0) + by;
      if (held === 0) this.#held.delete(holder);
      else this.#held.set(holder, held);
    }
  }

  #add(waiting: Waiting): void {
    const { party, line } = waiting.claim;
    const lines = this.#waiting.get(party) ?? new Map<unknown, Waiting[]>();
    this.#waiting.set(party, lines);
    const queue = lines.get(line);
    if (queue === undefined) lines.set(line, [waiting]);
    else queue.push(waiting);
  }

  /** Removes a waiting claim and moves its line and its party to the end of their rounds. */
  #remove(waiting: Waiting): void {
    const { party, line } = waiting.claim;
    const lines = this.#waiting.get(party);
    const queue = lines?.get(line)?.filter((other) => other !== waiting) ?? [];
    lines?.delete(line);
    if (queue.length > 0) lines?.set(line, queue);
    this.#waiting.delete(party);
    if (lines !== undefined && lines.size > 0) this.#waiting.set(party, lines);
  }

  #grantWaiting(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#remove(next);
      next.grant(this.#grant(next.claim));
    }
  }

  /**
   * Returns the next claim to grant: round-robin by party, then by line. A claim that waits for the whole is not overtaken, because small
   * claims would starve it.
   */
  #next(): Waiting | undefined {
    for (const lines of this.#waiting.values()) {
      for (const [waiting] of lines.values()) {
        const blocker = waiting && this.#blocker(waiting.claim);
        if (blocker === undefined) return waiting;
        if (blocker === "whole") return undefined;
      }
    }
    return undefined;
  }
}
