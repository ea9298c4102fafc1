/** Writes refusals: what was refused, and what would allow it (SPEC PA6, C10, X3). */

import {
  type AccessQuery,
  type AccessVerdict,
  canonicalHost,
  embeddedAddresses,
  evaluateAddress,
  type NetQuery,
  type PermissionBases,
  smallestGrant,
} from "../../manifests/mod.ts";
import type { GrantHint } from "../call/errors.ts";
import type { Grant } from "../call/grant.ts";
import { PROTECTED_NAMES } from "../policy/protect.ts";

/** The caller and its grant. */
export interface RefusalContext {
  readonly grant: Grant;
  readonly cwd: string;
  /** The symbolic link by which the user named `cwd`, if any. */
  readonly named?: string;
  readonly plugin?: string;
}

/**
 * Returns a message in Deno's form with a hint: `Requires read access to "a.txt", grant it with: bascule grant …`.
 *
 * @param subject as the guest wrote it; absent if it asked for the whole kind
 */
export function refusalMessage(query: AccessQuery, subject: string | undefined, verdict: AccessVerdict, context: RefusalContext): string {
  const wanted = subject === undefined ? `Requires ${query.kind} access` : `Requires ${query.kind} access to "${subject}"`;
  const { layer, rule } = verdict.decidedBy;
  if (verdict.state !== "prompt") {
    if (layer === PROTECTED_NAMES) return `${wanted}, whose name is protected (take it out of "policy.protected" in bascule.json)`;
    return rule === undefined
      ? `${wanted}, which the ${layer} layer does not allow`
      : `${wanted}, which the ${layer} layer denies ("${rule}")`;
  }
  const { command, text } = grantHint(query, context);
  return `${wanted}, ${command === undefined ? text : `grant it with: ${command}`}`;
}

/**
 * Returns why a granted host may not be reached at this address. The message leaves the address out, because names of a private network are
 * confidential.
 */
export function addressRefusal(query: NetQuery & { readonly host: string }, address: string, context: RefusalContext): string {
  const { host, port } = query;
  const wanted = `Requires net access to "${host}${port === undefined ? "" : `:${port}`}"`;
  const verdict = evaluateAddress(context.grant.layers, query, address);
  if (verdict.rule !== undefined) return `${wanted}, which leads to an address that the ${verdict.layer} layer denies ("${verdict.rule}")`;
  if (verdict.state !== "prompt") return `${wanted}, whose address is not public and not named by the ${verdict.layer} layer`;
  if (holdsAllOfNet(context))
    return `${wanted}, whose address is not public: granting all of net does not cover it, list hosts and this address instead`;
  const canonical = canonicalHost(host);
  if (canonical !== address && canonical !== "localhost")
    return `${wanted}, whose address is not public: grant the address too, with --allow-net=<address>`;
  const inside = embeddedAddresses(address);
  if (inside.length > 0)
    return `${wanted}, which leads to an address that is not public: grant that too, with --allow-net=${inside.join(",")}`;
  const { command, text } = grantHint(query, context);
  return `${wanted}, whose address is not public, ${command === undefined ? text : `grant it with: ${command}`}`;
}

/** Returns whether all of net is granted. A further item would have no effect then: an address must stand in a list (SPEC PA4). */
export function holdsAllOfNet({ grant }: RefusalContext): boolean {
  return grant.layers.some(({ otherwise, permissions }) => otherwise === "prompt" && permissions.entries.get("net")?.allow === true);
}

/** Control and format characters. The user could paste what they do not see, so no command is shown. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Returns the smallest grant that would allow the act, as JSON and as a command. */
export function grantHint(query: AccessQuery, context: RefusalContext): GrantHint {
  const smallest = smallestGrant(query, basesOf(context));
  const { plugin } = context;
  if (plugin === undefined || HIDDEN.test(smallest.flag)) return { text: `grant it in "bascule.json" or with --allow-${query.kind}` };
  return { grant: { plugin, permissions: smallest.permissions }, command: `bascule grant ${plugin} ${smallest.flag}` };
}

/** Returns the smallest addition to the policy that would allow a program. */
export function programHint(program: string): GrantHint {
  if (HIDDEN.test(program)) return { text: 'name the program in "run" of the grants of the tool\'s rule in bascule.json' };
  return { text: `add ${JSON.stringify(program)} to "run" of the grants of the tool's rule in bascule.json` };
}

/** Bases for suggested paths: the workspace and the call's own temporary folder. */
function basesOf({ grant, cwd }: RefusalContext): PermissionBases {
  const known = grant.layers.map((layer) => layer.permissions.bases);
  const tmp = known.find((bases) => bases.tmp !== undefined)?.tmp;
  const data = known.find((bases) => bases.data !== undefined)?.data;
  return { base: cwd, workspace: cwd, ...(data !== undefined && { data }), ...(tmp !== undefined && { tmp }) };
}
