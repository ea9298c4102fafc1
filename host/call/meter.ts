/** Counts what one call uses, and says when a quota is used up in the middle of it (SPEC D9, B3). */

import type { QuotaResource } from "../../manifests/mod.ts";
import type { ToolErrorData } from "./errors.ts";

/** What a call has used so far of what is counted on the host's side. */
export type MeterUse = Readonly<Record<Exclude<QuotaResource, "calls" | "cpuMs">, number>>;

/** One call's meter. */
export interface Meter {
  /** Counts, and answers why the act must not be done where a quota does not cover it: then the call is over. */
  spend(resource: Exclude<QuotaResource, "calls">, amount: number): ToolErrorData | undefined;
  /** What quotas leave of CPU time, in milliseconds. Infinity where none limits it. */
  readonly cpuMs: number;
  /** Why there is none left. */
  outOfCpu(): ToolErrorData | undefined;
  readonly use: MeterUse;
  /** The first quota that was used up while the call ran. */
  readonly excess: ToolErrorData | undefined;
  /** Fired together with it. */
  readonly stopped: AbortSignal | undefined;
}

/** A quota as the meter sees it. */
export interface Budget {
  readonly resource: QuotaResource;
  /** What is wrong if that is more than is left. */
  problem(amount: number): ToolErrorData | undefined;
  add(amount: number): void;
  left(): number;
}

/** With prototype methods: every call has one, and most have no quota. */
export class CallMeter implements Meter {
  readonly #budgets: readonly Budget[];
  readonly #use = { bytesRead: 0, bytesWritten: 0, requests: 0, hostCalls: 0 };
  readonly #stop: AbortController | undefined;
  #excess: ToolErrorData | undefined;

  constructor(budgets: readonly Budget[] = []) {
    this.#budgets = budgets;
    this.#stop = budgets.length === 0 ? undefined : new AbortController();
  }

  spend(resource: Exclude<QuotaResource, "calls">, amount: number): ToolErrorData | undefined {
    const asked = this.#budgets.filter((budget) => budget.resource === resource);
    if (resource === "cpuMs") {
      // Used before it is counted: what was done with it stays done.
      for (const budget of asked) budget.add(amount);
      return this.#excess;
    }
    for (const budget of asked) this.#excess ??= budget.problem(amount);
    if (this.#excess !== undefined) {
      this.#stop?.abort();
      return this.#excess;
    }
    for (const budget of asked) budget.add(amount);
    this.#use[resource] += amount;
    return undefined;
  }

  get cpuMs(): number {
    let least = Infinity;
    for (const budget of this.#budgets) if (budget.resource === "cpuMs") least = Math.min(least, budget.left());
    return least;
  }

  outOfCpu(): ToolErrorData | undefined {
    for (const budget of this.#budgets) {
      const problem = budget.resource === "cpuMs" ? budget.problem(1) : undefined;
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  get use(): MeterUse {
    return this.#use;
  }

  get excess(): ToolErrorData | undefined {
    return this.#excess;
  }

  get stopped(): AbortSignal | undefined {
    return this.#stop?.signal;
  }
}
