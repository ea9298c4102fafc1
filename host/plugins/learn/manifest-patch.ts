/** A manifest that asks for what was learned, and for nothing else (SPEC P9). */

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

/** What each tool with permissions of its own needs, by name. */
export type ToolPermissions = ReadonlyMap<string, Permissions>;

/** The manifest's text; denials, reasons, and kinds that are not learned stay as they are. */
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
