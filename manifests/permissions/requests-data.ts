/** Whether permissions concern data that a plugin keeps for itself. */

import { toEntry } from "./permission-compile.ts";
import type { Permissions } from "./permissions.ts";

/** Returns whether the permissions name `$data`, the plugin's own folder, or something in it. */
export function requestsData({ read, write }: Permissions): boolean {
  return [read, write].some((value) => listed(value).some(isInData));
}

/** Returns whether the permissions let a tool write its plugin's own data, and nothing else. */
export function writesOnlyData({ write }: Permissions): boolean {
  const items = listed(write);
  return items.length > 0 && items.every(isInData);
}

/** Returns the allowed items; none if all of the kind is allowed, because the kind names no item. */
function listed(value: Permissions["read"]): readonly unknown[] {
  const { allow = false } = toEntry(value ?? false);
  return typeof allow === "boolean" ? [] : allow;
}

function isInData(item: unknown): boolean {
  return typeof item === "string" && /^\$data(?:\/|$)/.test(item);
}
