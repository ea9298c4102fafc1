/** Which accepted limits are trusted on this machine: a checkout brings its own lock, and a lock alone allows nothing (SPEC P1, B3). */

import type { LimitRequest } from "../../../manifests/mod.ts";
import { NO_LIMITS } from "../../policy/tool-limits.ts";
import { limitsTrustRequest } from "../../project/trust/trust-requests.ts";
import type { ProjectTrust } from "../../project/trust/project-trust.ts";
import type { LockEntries } from "./lock-text.ts";
import { sorted } from "./declared.ts";

/** In memory, as of the last refresh. */
interface GivenLimits {
  /** Returns the limits if they are trusted on this machine, else none. */
  of(plugin: string, accepted: LimitRequest): LimitRequest;
  /** Looks up the trust of every entry. */
  refresh(entries: LockEntries): Promise<void>;
  /**
   * Trusts the limits (none: ends trust), together with what `write` writes into the lock.
   *
   * @throws {TrustFileError}, and what `write` throws
   */
  give(plugin: string, limits: LimitRequest, write: () => Promise<void>): Promise<void>;
}

/** @param trust absent if the lock itself is trusted, as in a program's own project */
export function createGivenLimits(trust: Pick<ProjectTrust, "isAgreed" | "replace"> | undefined): GivenLimits {
  let given: ReadonlyMap<string, LimitRequest> = new Map();
  const givenTo = (plugin: string): LimitRequest => given.get(plugin) ?? NO_LIMITS;
  return {
    of: (plugin, accepted) => (trust === undefined || textOf(givenTo(plugin)) === textOf(accepted) ? accepted : NO_LIMITS),
    async refresh(entries) {
      const found = new Map<string, LimitRequest>();
      for (const { name, acceptedLimits } of entries.values()) {
        if (trust === undefined || Object.keys(acceptedLimits).length === 0) continue;
        if (await trust.isAgreed(limitsTrustRequest(name, acceptedLimits))) found.set(name, acceptedLimits);
      }
      given = found;
    },
    async give(plugin, limits, write) {
      const before = givenTo(plugin);
      if (trust === undefined || textOf(limits) === textOf(before)) return await write();
      await trust.replace(limitsTrustRequest(plugin, before), limitsTrustRequest(plugin, limits), write);
      given = new Map([...given, [plugin, limits]]);
    },
  };
}

function textOf(limits: LimitRequest): string {
  return JSON.stringify(sorted({ ...limits }));
}
