/** Compares two decisions about a call: what the earlier one allowed and the later one does not (SPEC C2, P1). Pure. */

import type { PermissionLayer } from "../../manifests/mod.ts";
import type { AllowDecision, Decision } from "../call/call.ts";

/** Describes the first loss; undefined if the later decision takes nothing away. */
export function lostSince(before: AllowDecision, now: Decision): string | undefined {
  if (before === now) return undefined;
  if (now.kind === "deny") return `${now.because.layer}: ${now.because.rule}`;
  if (now.route !== before.route) return `route ${before.route} is ${now.route} now`;
  if (now.unavailable !== undefined) return now.unavailable;
  if (now.grant === before.grant) return undefined;
  const unmatched = [...before.grant.layers];
  for (const layer of now.grant.layers) {
    // Several layers may share a name; they keep their order.
    const at = unmatched.findIndex(({ name }) => name === layer.name);
    const [old] = at < 0 ? [] : unmatched.splice(at, 1);
    // These layers hold the version's requests. A reload changes them, and a call ends on the version that it began with.
    const lost = OF_THE_PLUGIN.has(layer.name) ? undefined : lostIn(old, layer);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

const OF_THE_PLUGIN: ReadonlySet<string> = new Set(["manifest", "tool", "class", "builtin"]);

type Items = true | readonly { readonly written: string }[];

function lostIn(before: PermissionLayer | undefined, { name, permissions }: PermissionLayer): string | undefined {
  // A new policy layer may hold back anything.
  if (before === undefined) return name;
  const kinds = new Set([...before.permissions.entries.keys(), ...permissions.entries.keys()]);
  for (const kind of kinds) {
    const [old, now] = [before.permissions.entries.get(kind), permissions.entries.get(kind)];
    const allowed = missing(old?.allow ?? [], now?.allow ?? []) ?? missing(old?.listed ?? [], now?.listed ?? []);
    const denied = missing(now?.deny ?? [], old?.deny ?? []) ?? missing(now?.ignore ?? [], old?.ignore ?? []);
    const lost = allowed ?? denied;
    if (lost !== undefined) return lost === "" ? `${kind} of ${name}` : `${kind} ${JSON.stringify(lost)} of ${name}`;
  }
  return undefined;
}

/** Returns the first of `items` that `others` lacks, compared as written; "" means everything. */
function missing(items: Items, others: Items): string | undefined {
  if (others === true) return undefined;
  if (items === true) return "";
  const written = new Set(others.map((other) => other.written));
  return items.find((item) => !written.has(item.written))?.written;
}
