/** Why a version is in quarantine, in one line. */

import type { ConsentChange } from "./changes.ts";

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
  field: "says other things of its tools",
  more: "has many changes",
};
