/** Reads quotas: an amount of a resource per time window (SPEC P2, D9). */

import { compact, DocumentReader, type Fields } from "../text/document.ts";
import type { JsonValue } from "../text/json.ts";
import { parseJson } from "../text/parse-json.ts";
import type { Parsed } from "../text/problem.ts";
import { QUOTA_RESOURCES, QUOTA_SCOPES, type QuotaConfig, type QuotaScope } from "./project.ts";

/** Bounds of a window, and the maximum number of quotas of one rule or session. */
export const QUOTA_BOUNDS: { readonly leastWindowMs: number; readonly mostWindowMs: number; readonly most: number } = Object.freeze({
  leastWindowMs: 1_000,
  mostWindowMs: 31 * 24 * 3_600_000,
  most: 8,
});

const DEFAULT_WINDOW_MS = 60_000;
const FIELDS: readonly string[] = [...QUOTA_RESOURCES, "per", "windowMs"];

/** Parses a list of quotas that a program passes. */
export function parseQuotas(given: unknown, per: QuotaScope): Parsed<readonly QuotaConfig[]> {
  const located = parseJson(JSON.stringify({ quotas: given }), { maxBytes: 65_536, maxDepth: 4 });
  if (!located.ok) return located;
  const reader = new DocumentReader(located.value);
  const fields = reader.fields(located.value.value, "", { what: "Session", known: ["quotas"] });
  const quotas = fields && readQuotas(reader, fields, "quotas", per);
  return reader.finish(() => quotas ?? []);
}

/** Reads one quota, or a list of them. `per` is the default scope. */
export function readQuotas(reader: DocumentReader, parent: Fields, key: string, per: QuotaScope): readonly QuotaConfig[] | undefined {
  if (Array.isArray(parent.get(key))) return parent.list(key, (item, pointer) => readQuota(reader, item, pointer, per), QUOTA_BOUNDS.most);
  const quota = parent.has(key) ? readQuota(reader, parent.get(key), parent.at(key), per) : undefined;
  return quota && [quota];
}

function readQuota(reader: DocumentReader, value: JsonValue | undefined, pointer: string, per: QuotaScope): QuotaConfig | undefined {
  const fields = reader.fields(value, pointer, { what: "Quota", known: FIELDS });
  if (fields === undefined) return undefined;
  const { leastWindowMs, mostWindowMs } = QUOTA_BOUNDS;
  const windowMs = fields.count("windowMs", mostWindowMs) ?? DEFAULT_WINDOW_MS;
  if (windowMs < leastWindowMs)
    reader.refuse(fields.at("windowMs"), `Window is shorter than ${leastWindowMs} milliseconds`, `write ${leastWindowMs} or more`);
  if (!QUOTA_RESOURCES.some((resource) => fields.has(resource)))
    reader.refuse(pointer, "Quota limits nothing", `write one of ${QUOTA_RESOURCES.join(", ")}`);
  const limits = compact(Object.fromEntries(QUOTA_RESOURCES.map((resource) => [resource, fields.count(resource)])));
  return { ...limits, per: fields.choice("per", QUOTA_SCOPES) ?? per, windowMs };
}
