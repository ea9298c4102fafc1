/** One difference between two versions of a plugin, and whether it needs the user's consent (SPEC H6). */

import type { Limits, SideEffectClass } from "../../../manifests/mod.ts";

/** How many changes need consent: `fluent` suits authors who edit their own folder, `strict` everything else. */
export const CONSENT_MODES = ["fluent", "strict"] as const;
/** One of `CONSENT_MODES`. */
export type ConsentMode = (typeof CONSENT_MODES)[number];

/**
 * One difference. `from` and `to` are complete JSON text, because a user accepts exactly what was shown; absent if the value did not or
 * does not exist. Every text may come from the plugin: sanitize it before it is shown.
 */
export type ConsentChange =
  | ({ readonly kind: "clash" } & NameClash)
  /** `+ read: /etc`, `- deny read: /etc` or, if less is requested, `- read: /etc`. */
  | { readonly kind: "permission"; readonly tool?: string; readonly sign: "+" | "-"; readonly what: string; readonly widens: boolean }
  /** `from` is the accepted value or, if less is requested than before, the old request; `widens` if more is requested than before. */
  | { readonly kind: "limit"; readonly limit: keyof Limits; readonly from: number; readonly to: number; readonly widens: boolean }
  /** A tool can do more than before (a new one: more than any other tool). Compares classes, or side effects if the class is the same. */
  | { readonly kind: "class"; readonly tool: string; readonly from: string; readonly to: string }
  | { readonly kind: "signer" | "name"; readonly from?: string; readonly to?: string }
  | { readonly kind: "file"; readonly path: string; readonly change: "added" | "changed" | "removed" }
  | {
      readonly kind: "tool";
      readonly tool: string;
      readonly change: "added";
      readonly class: SideEffectClass;
      readonly description: string;
      /** Title and schemas as JSON text, if they contain prose. */
      readonly says?: string;
    }
  | { readonly kind: "tool"; readonly tool: string; readonly change: "removed" }
  /** `pointer` points into a schema or permissions. Without `tool` the field is the plugin's own. */
  | {
      readonly kind: "field";
      readonly tool?: string;
      readonly field: string;
      readonly pointer?: string;
      readonly from?: string;
      readonly to?: string;
    }
  /** Changes beyond the bound, of the last kinds in order; `of` if all of them are files. */
  | { readonly kind: "more"; readonly of?: "file"; readonly count: number; readonly widens: boolean };

/** A plugin's or a tool's name that a user could mistake for an existing one. */
export interface NameClash {
  readonly of: "plugin" | "tool";
  readonly name: string;
  readonly other: string;
  /** The folder of the plugin that has the other name; for other tools, their owner. */
  readonly whose: string;
}

/** Returns true if the change needs the user's consent. */
export function asks(change: ConsentChange, mode: ConsentMode): boolean {
  switch (change.kind) {
    case "permission":
    case "limit":
      return change.widens;
    case "clash":
    case "class":
    case "signer":
    case "file":
      return true;
    case "tool":
      return change.change === "added" && mode === "strict";
    case "field":
      // Fewer confirmations for destructive acts are more than a change of wording.
      return mode === "strict" || change.field === "destructive";
    case "name":
      return mode === "strict";
    case "more":
      return mode === "strict" || change.widens;
  }
}
