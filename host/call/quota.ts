/** A quota as decisions carry it (SPEC D9, P2). */

import { QUOTA_RESOURCES, type QuotaConfig, type QuotaResource, type QuotaScope } from "../../manifests/mod.ts";

/** Quota of one resource, with the rule that set it. */
export interface Quota {
  readonly per: QuotaScope;
  readonly resource: QuotaResource;
  readonly limit: number;
  readonly windowMs: number;
  readonly rule: string;
  /** The only session that the quota applies to. */
  readonly session?: string;
}

/** Splits a configured quota into one quota per resource. */
export function quotasOf(config: QuotaConfig, rule: string): readonly Quota[] {
  const { per, windowMs } = config;
  return QUOTA_RESOURCES.flatMap((resource) => {
    const limit = config[resource];
    return limit === undefined ? [] : [{ per, windowMs, resource, limit, rule }];
  });
}
