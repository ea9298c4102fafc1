/** The policy and the grants that the embedding program passed to `createHost`. */

import { parsePermissions, type Permissions, type ProjectConfig } from "../../manifests/mod.ts";
import type { RunGrants } from "../call/grant.ts";
import { denialsIn } from "../policy/merge-permissions.ts";
import type { Policy } from "../policy/policy.ts";
import { parseEnforced, ProjectConfigError } from "../project/project-file.ts";
import type { HostOptions } from "./host-options.ts";

export interface CodePolicy {
  /** An implementation that replaces `bascule.json` and the layers. */
  readonly replacement?: Policy;
  /** In place of the section `policy` of `bascule.json`. */
  readonly section?: ProjectConfig["policy"];
  readonly runGrants: RunGrants;
}

/**
 * @param base folder that relative items of the grants resolve against
 * @throws {ProjectConfigError} if the policy or the grants are not valid.
 */
export function readCodePolicy({ policy, grants = {} }: Pick<HostOptions, "policy" | "grants">, base: string): CodePolicy {
  if (isPolicy(policy)) return { replacement: policy, runGrants: toRunGrants(grants, base) };
  const section = policy === undefined ? undefined : parsePolicySection(policy);
  return { ...(section && { section }), runGrants: toRunGrants(grants, base) };
}

function isPolicy(policy: HostOptions["policy"]): policy is Policy {
  return policy !== undefined && typeof policy["decide"] === "function";
}

function parsePolicySection(section: Exclude<HostOptions["policy"], undefined>): ProjectConfig["policy"] {
  const parsed = parseEnforced(JSON.stringify({ policy: section }));
  if (!parsed.ok) throw new ProjectConfigError("the policy", parsed.problems);
  return parsed.value.policy;
}

/** Denials for `*` apply to every tool, not only to plugins. */
function toRunGrants(grants: Readonly<Record<string, Permissions>>, base: string): RunGrants {
  const perPlugin = new Map(Object.entries(checkGrants(grants)));
  const all = perPlugin.get("*");
  perPlugin.delete("*");
  const denied = all && denialsIn(all);
  const denies = denied !== undefined && Object.keys(denied).length > 0;
  return { base, perPlugin, ...(all && { all }), ...(denies && { denied }) };
}

/** A denial with an invalid pattern must not be ignored (SPEC C4). */
function checkGrants(grants: Readonly<Record<string, Permissions>>): Readonly<Record<string, Permissions>> {
  const problems = Object.entries(grants).flatMap(([plugin, permissions]) => {
    const parsed = parsePermissions(permissions, `/${plugin}`);
    return parsed.ok ? [] : parsed.problems;
  });
  if (problems.length > 0) throw new ProjectConfigError("the grants", problems);
  return grants;
}
