/** The grant that an approval "always" stands for. */

import type { Permissions } from "../../manifests/mod.ts";
import type { ConfirmationRequest } from "../call/call.ts";

/**
 * Returns the grant that an answer "always" makes: exactly the permission that is shown, with the target of its link. Undefined for other
 * confirmations, for all of a kind, and for names that would be patterns in a grant.
 */
export function grantForAlways({ plugin, permission }: ConfirmationRequest): Permissions | undefined {
  if (plugin === undefined || permission?.value === undefined) return undefined;
  const { kind, value, leadsTo } = permission;
  const items = leadsTo === undefined ? [value] : [value, leadsTo];
  const isPath = kind === "read" || kind === "write";
  if (!isPath && kind !== "net" && kind !== "env") return undefined;
  if (items.some((item) => (isPath ? /[*?]/u : /[*?/]/u).test(item))) return undefined;
  return { [kind]: items };
}
