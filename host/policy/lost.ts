/** What a decision allowed and a later one about the same call does not (SPEC C2, P1). Pure. */

import type { PermissionLayer } from "../../manifests/mod.ts";
import type { AllowDecision, Decision } from "../call/call.ts";

/** In words; undefined if the later one takes nothing away. */
export function lostSince(before: AllowDecision, now: Decision): string | undefined {
  if (before === now) return undefined;
  if (now.kind === "deny") return `${now.because.layer}: ${now.because.rule}`;
  if (now.route !== before.route) return `route ${before.route} is ${now.route} now`;
  if (now.unavailable !== undefined) return now.unavailable;
  if (now.grant === before.grant) return undefined;
  const unmatched = [...before.grant.layers];
  for (const layer of now.grant.layers) {
    // Several may have one name; they keep their order.
    const at = unmatched.findIndex(({ name }) => name === layer.name);
    const [old] = at < 0 ? [] : unmatched.splice(at, 1);
    // They say what its version asked for: a reload changes that, and calls end on the version that they began with.
    const lost = OF_THE_PLUGIN.has(layer.name) ? undefined : lostIn(old, layer);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

const OF_THE_PLUGIN: ReadonlySet<string> = new Set(["manifest", "tool", "class", "builtin"]);

type Items = true | readonly { readonly written: string }[];

function lostIn(before: PermissionLayer | undefined, { name, permissions }: PermissionLayer): string | undefined {
  // A layer of policy is new, and may hold anything back.
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

/** The first item of the one list that is not in the other as it was written; "" for everything. */
function missing(items: Items, others: Items): string | undefined {
  if (others === true) return undefined;
  if (items === true) return "";
  const written = new Set(others.map((other) => other.written));
  return items.find((item) => !written.has(item.written))?.written;
}
