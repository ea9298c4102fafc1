/** Answers queries as bascule: the permission set is parsed as in a manifest, the descriptor by the bridge's own rules. */

import {
  compilePermissions,
  evaluateAccess,
  parseAccessQuery,
  parsePermissions,
  type PermissionLayer,
  problemToText,
} from "../../manifests/mod.ts";
import type { Answer } from "./deno-answer.ts";
import type { Descriptor, OraclePolicy } from "./policy.ts";

/** Answers queries under one set. @throws {Error} if the set is refused */
export function createBasculeOracle(policy: OraclePolicy, folder: string): (descriptor: Descriptor) => Answer {
  const parsed = parsePermissions(policy);
  if (!parsed.ok) throw new Error(`bascule refuses the set: ${parsed.problems.map(problemToText).join("; ")}`);
  const layer: PermissionLayer = {
    name: "set",
    permissions: compilePermissions(parsed.value, { base: folder }),
    unnamed: "none",
    otherwise: "prompt",
  };
  return (descriptor) => {
    const asked = parseAccessQuery(descriptor.name, subjectOf(descriptor), folder);
    if (!asked.ok) return { error: asked.error, message: asked.message };
    const { state, partial = false } = evaluateAccess([layer], asked.query);
    return { state, partial };
  };
}

/** Returns the member of a descriptor beside its kind. */
export function subjectOf({ path, host, variable, kind, command }: Descriptor): string | undefined {
  return path ?? host ?? variable ?? kind ?? command;
}
