/** Why a version is in quarantine, in one line. */

import { quote } from "../folder/problems.ts";
import type { Manifest } from "../../../manifests/mod.ts";
import { compareVersions, type ConsentChange, MAX_CHANGES, type NameClash } from "./changes.ts";
import { NOTHING_YET, surfaceOf } from "./surface.ts";

/** Names kinds only, nothing that a plugin wrote. */
export function quarantineReason(asked: readonly ConsentChange[]): string {
  const kinds = new Set(asked.map(({ kind }) => kind));
  const said = [...kinds].map((kind) => TEXTS[kind]);
  return `Not accepted yet: it ${said.join(", ")} (bascule accept shows it)`;
}

const TEXTS: Readonly<Record<ConsentChange["kind"], string>> = {
  permission: "asks for more",
  limit: "asks for higher limits",
  class: "can do more",
  signer: "is signed by somebody else",
  name: "has another name",
  file: "is not what was brought here",
  tool: "has new tools",
  field: "says other things",
  more: "has many changes",
  clash: "has a name that looks like another's",
};

/** Why something cannot be accepted: a yes would also be to what was never shown. */
export function tooManyChanges(what: string, fix: string): string {
  return `Cannot accept ${what}: it changes more than ${MAX_CHANGES} things that others see, and no more are shown (${fix})`;
}

/** All of a version that no person has accepted yet. */
export function allOf(manifest: Manifest): readonly ConsentChange[] {
  const { name } = manifest;
  return compareVersions({ name, surface: NOTHING_YET }, { name, surface: surfaceOf(manifest) });
}

/** Why a version waits whose names look like others', and what a person says yes to. Names hold nothing but letters, digits, "-" and "_". */
export function clashing(clashes: readonly NameClash[]): { readonly reason: string; readonly changes: readonly ConsentChange[] } {
  const said = clashes
    .slice(0, 1)
    .map(({ of, name, other, whose }) =>
      of === "plugin"
        ? `its name "${name}" looks like "${other}", the name of the plugin in ${quote(whose)}`
        : `its tool "${name}" looks like "${other}", a tool of ${quote(whose)}`,
    );
  const changes = clashes.map((clash): ConsentChange => ({ kind: "clash", ...clash }));
  return { reason: `Not accepted yet: ${said.join("")} (rename it, or bascule accept takes it as it is)`, changes };
}
