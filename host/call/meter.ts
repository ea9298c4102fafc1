/** Counts what one call uses, and reports when a quota is used up during the call (SPEC D9, B3). */

import type { QuotaResource } from "../../manifests/mod.ts";
import type { ToolErrorData } from "./errors.ts";

/** Use of one call so far, as far as the host counts it. */
type MeterUse = Readonly<Record<Exclude<QuotaResource, "calls" | "cpuMs">, number>>;

/** One call's meter. */
export interface Meter {
  /** Counts the use. Returns the error if a quota does not cover it: the act must not be done, and the call ends. */
  spend(resource: Exclude<QuotaResource, "calls">, amount: number): ToolErrorData | undefined;
  /** CPU milliseconds that the quotas leave; Infinity if no quota limits CPU time. */
  readonly cpuMs: number;
  /** Returns the error of the used-up CPU quota; undefined if CPU time is left. */
  outOfCpu(): ToolErrorData | undefined;
  readonly use: MeterUse;
  /** Error of the first quota that was used up during the call. */
  readonly excess: ToolErrorData | undefined;
  /** Aborts when `excess` is set. Undefined if the call has no quotas. */
  readonly stopped: AbortSignal | undefined;
}

/** One quota, as the meter needs it. */
export interface Budget {
  readonly resource: QuotaResource;
  /** Returns the error if `amount` exceeds what is left. */
  problem(amount: number): ToolErrorData | undefined;
  add(amount: number): void;
  left(): number;
}

/** A class, so that methods are shared: every call has a meter, and most have no quota. */
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
      // CPU time is counted after its use, so it is added even if it exceeds the quota.
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
