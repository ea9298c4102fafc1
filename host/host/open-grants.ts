/** Stage of a host: the user's grants, and the policy and grants that the embedding program passed. */

import { createGrantStore, type GrantStore } from "../project/grants/grants.ts";
import { type Change, createChange } from "./change.ts";
import { type CodePolicy, readCodePolicy } from "./code-policy.ts";
import type { HostOptions } from "./host-options.ts";
import type { GroundStage } from "./open-ground.ts";

export interface GrantsStage {
  readonly grants: GrantStore;
  readonly codePolicy: CodePolicy;
  /** Notified when grants or policy changed. Running calls follow it, but they are decided by policies, which need the grants first. */
  readonly rightsChange: Change;
}

/** @throws {ProjectConfigError} if the policy or the grants from code are not valid. */
export async function openGrants({ platform, places }: GroundStage, options: HostOptions): Promise<GrantsStage> {
  const rightsChange = createChange();
  const grants = await createGrantStore(platform, places.grantsFile, places.trust, rightsChange.notify);
  return { grants, codePolicy: readCodePolicy(options, platform.environment.cwd), rightsChange };
}
