/** Hints for MCP clients, filled in from what a tool declares (SPEC M3). */

import { sideEffectClass, type SideEffect } from "./side-effect.ts";
import type { ToolAnnotations } from "./tool.ts";

/** The parts of a tool that its hints follow from. */
export interface Declared {
  readonly title?: string;
  readonly sideEffects: readonly SideEffect[];
  readonly destructive: boolean;
}

/** `given`, with the hints it leaves out derived. A hint never contradicts the declared side effects to look more harmless. */
export function annotate(declared: Declared, given: ToolAnnotations = {}): ToolAnnotations {
  const derived = deriveAnnotations(declared);
  return {
    ...derived,
    ...given,
    readOnlyHint: (given.readOnlyHint ?? true) && derived.readOnlyHint === true,
    destructiveHint: given.destructiveHint === true || derived.destructiveHint === true,
    openWorldHint: given.openWorldHint === true || derived.openWorldHint === true,
  };
}

/** The hints that follow from the declaration alone. */
export function deriveAnnotations(declared: Declared): ToolAnnotations {
  const sideEffects = sideEffectClass(declared.sideEffects);
  return {
    ...(declared.title !== undefined && { title: declared.title }),
    readOnlyHint: !declared.destructive && (sideEffects === "none" || sideEffects === "read"),
    destructiveHint: declared.destructive,
    openWorldHint: sideEffects === "network" || sideEffects === "execute",
  };
}
