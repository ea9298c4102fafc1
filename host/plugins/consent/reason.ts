/** Why a version is quarantined, in one line. */

import { quote } from "../folder/problems.ts";
import type { Manifest } from "../../../manifests/mod.ts";
import type { ConsentChange, NameClash } from "./change.ts";
import { compareVersions, MAX_CHANGES } from "./changes.ts";
import { NOTHING_YET, declaredBy } from "./declared.ts";

/** Names kinds of changes only, no text of the plugin. */
export function quarantineReason(asked: readonly ConsentChange[]): string {
  const kinds = new Set(asked.map(({ kind }) => kind));
  const said = [...kinds].map((kind) => TEXTS[kind]);
  return `Not accepted yet: it ${said.join(", ")} (bascule accept shows it)`;
}

const TEXTS: Readonly<Record<ConsentChange["kind"], string>> = {
  permission: "requests more permissions",
  limit: "requests higher limits",
  class: "can do more",
  signer: "has another signer",
  name: "has another name",
  file: "has changed files",
  tool: "has new tools",
  field: "has changed descriptions or schemas",
  more: "has many changes",
  clash: "has a name similar to another",
};

/** Why a version cannot be accepted: the user would also accept changes that were never shown. */
export function tooManyChanges(what: string, fix: string): string {
  return `Cannot accept ${what}: more than ${MAX_CHANGES} visible changes, and no more are shown (${fix})`;
}

/** Lists everything in a version of which nothing has been accepted yet. */
export function allOf(manifest: Manifest): readonly ConsentChange[] {
  const { name } = manifest;
  return compareVersions({ name, declared: NOTHING_YET }, { name, declared: declaredBy(manifest) });
}

/** Explains why a version with names similar to others waits, and lists them. Names contain only letters, digits, "-" and "_". */
export function clashing(clashes: readonly NameClash[]): { readonly reason: string; readonly changes: readonly ConsentChange[] } {
  const said = clashes
    .slice(0, 1)
    .map(({ of, name, other, whose }) =>
      of === "plugin"
        ? `its name "${name}" looks like "${other}", the name of the plugin in ${quote(whose)}`
        : `its tool "${name}" looks like "${other}", a tool of ${quote(whose)}`,
    );
  const changes = clashes.map((clash): ConsentChange => ({ kind: "clash", ...clash }));
  return { reason: `Not accepted yet: ${said.join("")} (rename it, or accept it with bascule accept)`, changes };
}
