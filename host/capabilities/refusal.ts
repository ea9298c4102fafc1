/** Says what was refused and what would allow it (SPEC PA6, C10, X3). */

import { type AccessQuery, type AccessVerdict, type PermissionBases, smallestGrant } from "../../manifests/mod.ts";
import type { GrantHint } from "../errors.ts";
import type { Grant } from "../policy/grant.ts";

/** Who asked, and within what. */
export interface RefusalContext {
  readonly grant: Grant;
  readonly cwd: string;
  readonly plugin?: string;
}

/**
 * A message in Deno's form with our hint: `Requires read access to "a.txt", grant it with: bascule grant …`.
 *
 * @param subject as the guest wrote it; absent where the whole kind was asked for
 */
export function refusalMessage(query: AccessQuery, subject: string | undefined, verdict: AccessVerdict, context: RefusalContext): string {
  const wanted = subject === undefined ? `Requires ${query.kind} access` : `Requires ${query.kind} access to "${subject}"`;
  const { layer, rule } = verdict.decidedBy;
  if (verdict.state !== "prompt") {
    return rule === undefined
      ? `${wanted}, which the ${layer} layer does not allow`
      : `${wanted}, which the ${layer} layer denies ("${rule}")`;
  }
  const { command, text } = grantHint(query, context);
  return `${wanted}, ${command === undefined ? text : `grant it with: ${command}`}`;
}

/** Control and format characters: a person may paste what they do not see, so no command is shown. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The smallest grant that would allow the act, as JSON and as a command. */
export function grantHint(query: AccessQuery, context: RefusalContext): GrantHint {
  const smallest = smallestGrant(query, basesOf(context));
  const { plugin } = context;
  if (plugin === undefined || HIDDEN.test(smallest.flag)) return { text: `grant it in "bascule.json" or with --allow-${query.kind}` };
  return { grant: { plugin, permissions: smallest.permissions }, command: `bascule grant ${plugin} ${smallest.flag}` };
}

/** What a suggested path may be relative to: the workspace and the call's own temporary folder. */
function basesOf({ grant, cwd }: RefusalContext): PermissionBases {
  const known = grant.layers.map((layer) => layer.permissions.bases);
  const tmp = known.find((bases) => bases.tmp !== undefined)?.tmp;
  const data = known.find((bases) => bases.data !== undefined)?.data;
  return { base: cwd, workspace: cwd, ...(data !== undefined && { data }), ...(tmp !== undefined && { tmp }) };
}
