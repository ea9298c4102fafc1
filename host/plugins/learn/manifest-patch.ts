/** Rewrites a manifest to request exactly what was learned (SPEC P9). */

import {
  type Manifest,
  manifestToJson,
  type PermissionItem,
  type PermissionKind,
  type Permissions,
  type PermissionValue,
  PERMISSION_KINDS,
  toEntry,
} from "../../../manifests/mod.ts";
import { LEARNED_KINDS } from "../../audit/acts.ts";

/** Needs of each tool that has its own permissions, by name. */
export type ToolPermissions = ReadonlyMap<string, Permissions>;

/** Returns the manifest's text; keeps denials, reasons, and kinds that are not learned. */
export function patchedManifest(manifest: Manifest, learned: Permissions, ofTools: ToolPermissions): string {
  const tools = manifest.tools.map((tool) => {
    const own = ofTools.get(tool.name);
    return tool.permissions === undefined || own === undefined ? tool : { ...tool, permissions: replaced(tool.permissions, own) };
  });
  return manifestToJson({ ...manifest, permissions: replaced(manifest.permissions, learned), tools });
}

function replaced(before: Permissions, learned: Permissions): Permissions {
  const after: { [K in PermissionKind]?: PermissionValue } = {};
  for (const kind of PERMISSION_KINDS) {
    const held = before[kind];
    if (!LEARNED_KINDS.some((known) => known === kind)) {
      if (held !== undefined) after[kind] = held;
      continue;
    }
    const items = itemsOf(learned[kind]);
    const { allow: _allow, ...rest } = toEntry(held ?? {});
    if (Object.keys(rest).length > 0) after[kind] = { ...(items.length > 0 && { allow: items }), ...rest };
    else if (items.length > 0) after[kind] = items;
  }
  return after;
}

function itemsOf(value: PermissionValue | undefined): readonly PermissionItem[] {
  const { allow } = toEntry(value ?? false);
  return typeof allow === "object" ? allow : [];
}
