/** Reads the limits that a manifest or a rule requests (SPEC M2, B3). */

import type { DocumentReader, Fields } from "../text/document.ts";
import { DEFAULT_LIMITS, LIMIT_CEILINGS, type LimitRequest, type Limits } from "./limits.ts";
import type { Manifest } from "./manifest.ts";

/** Names of all limits. */
export const LIMIT_NAMES: readonly (keyof Limits)[] = Object.freeze(Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]);

/** Reads the limits under `key`. A value above the ceiling is a warning, because `resolveLimits` lowers it. */
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
      reader.warn(fields.at(name), `Limit "${name}" is above the maximum`, `${LIMIT_CEILINGS[name]} applies`);
    limits[name] = limit;
  }
  return limits;
}

/** Returns the requested limits above the defaults, capped at the ceilings. `wallMs` is the maximum over the plugin and its tools. */
export function raisedLimits({ limits, tools }: Pick<Manifest, "limits" | "tools">): LimitRequest {
  const raised: { -readonly [K in keyof Limits]?: number } = {};
  for (const name of LIMIT_NAMES) {
    const times = name === "wallMs" ? tools.map(({ timeoutMs = 0 }) => timeoutMs) : [];
    const asked = Math.min(Math.max(limits[name] ?? 0, ...times), LIMIT_CEILINGS[name]);
    if (asked > DEFAULT_LIMITS[name]) raised[name] = asked;
  }
  return raised;
}

const UNITS = [
  [1024 * 1024, "MiB"],
  [1024, "KiB"],
] as const;

/** Formats a limit's value: `256 MiB`, `300 s`, `1024`. */
export function limitText(name: keyof Limits, value: number): string {
  if (name.endsWith("Ms")) return `${value / 1000} s`;
  if (!name.endsWith("Bytes")) return String(value);
  const [size, unit] = UNITS.find(([bytes]) => value % bytes === 0) ?? [1, "bytes"];
  return `${value / size} ${unit}`;
}
