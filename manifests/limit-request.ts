/** Reads limits as a manifest or a rule asks for them (SPEC M2, B3). */

import type { DocumentReader, Fields } from "./document.ts";
import { DEFAULT_LIMITS, LIMIT_CEILINGS, type LimitRequest, type Limits } from "./limits.ts";

/** The names of all limits. */
export const LIMIT_NAMES: readonly (keyof Limits)[] = Object.freeze(Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]);

/** The limits under `key`; above the ceiling is a warning, as `resolveLimits` lowers them. */
export function readLimits(reader: DocumentReader, parent: Fields, key: string): LimitRequest | undefined {
  const value = parent.get(key);
  if (value === undefined) return undefined;
  const fields = reader.fields(value, parent.at(key), { what: "Limits", known: LIMIT_NAMES });
  if (fields === undefined) return undefined;
  const limits: { -readonly [K in keyof Limits]?: number } = {};
  for (const name of LIMIT_NAMES) {
    const limit = fields.count(name);
    if (limit === undefined) continue;
    if (limit > LIMIT_CEILINGS[name])
      reader.warn(fields.at(name), `Limit "${name}" is above the highest there is`, `${LIMIT_CEILINGS[name]} applies`);
    limits[name] = limit;
  }
  return limits;
}
