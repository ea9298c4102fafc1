/**
 * A bound that parties share: each has a share of the whole, what is over waits, and the parties take turns.
 *
 * A party that takes its whole share, and floods its queue besides, costs the others their turns at most (SPEC LV3).
 */

/** Who wants how much of the whole. */
export interface Claim {
  readonly size: number;
  /** Takes turns with other parties: a plugin. */
  readonly party: string;
  /** Takes turns with other lines of the party: a call. */
  readonly line: unknown;
  /** Who is counted for it, and how much each may hold at once. */
  readonly within: readonly (readonly [holder: unknown, share: number])[];
}

/** On whose behalf something is held: a plugin's code, and the owner of the session that calls it (a token). */
export interface Holder {
  /** Absent: the host's. */
  readonly owner?: string;
  /** Absent: no plugin's in particular. */
  readonly caller?: string;
}

/** What one plugin may hold, what one caller may, whatever plugins it calls, and what a caller may of a plugin's share. */
export interface HolderShares {
  readonly plugin: number;
  readonly caller: number;
  readonly callerOfPlugin: number;
}

/** A claim of one. @param of what is shared, where one bound counts several things apart */
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

/** Names of plugins are never empty. */
const HOST = "";

/** Gives back what was taken. Idempotent. */
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
  /** By party and line, both in the order of their turns. Empty lines are not kept. */
  readonly #waiting: Map<string, Map<unknown, Waiting[]>> = new Map();

  /**
   * @param whole what all hold together
   * @param floor what a party that holds nothing gets whatever the others hold. Default 0
   */
  constructor(whole: number, floor: number = 0) {
    this.#whole = whole;
    this.#floor = floor;
  }

  /** Takes it now, or when it is its turn; undefined if the signal is aborted before. */
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
        // It may have been what the others waited behind.
        this.#grantWaiting();
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#add(waiting);
      this.#grantWaiting();
    });
  }

  /** Takes it if there is room, whoever waits. */
  takeNow(claim: Claim): GiveBack | undefined {
    return this.#blocker(claim) === undefined ? this.#grant(claim) : undefined;
  }

  /** What the claim has to wait for. A claim that is larger than a share goes alone. */
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

  /** Its line, and its party, go to the end of their rounds. */
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

  /** Party by party, line by line. One that waits for the whole is not passed by: small claims would keep it out for ever. */
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
