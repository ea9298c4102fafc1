/** Derives hints for MCP clients from a tool's declaration (SPEC M3). */

import { sideEffectClass, type SideEffect } from "../permissions/side-effect.ts";
import type { ToolAnnotations } from "./tool.ts";

/** Members of a tool that determine its hints. */
interface Declared {
  readonly title?: string;
  readonly sideEffects: readonly SideEffect[];
  readonly destructive: boolean;
}

/**
 * Returns `given` with derived values for missing hints. A hint never makes the tool look more harmless than its declared side
 * effects.
 */
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

/** Derives the hints from the declaration alone. */
export function deriveAnnotations(declared: Declared): ToolAnnotations {
  const sideEffects = sideEffectClass(declared.sideEffects);
  return {
    ...(declared.title !== undefined && { title: declared.title }),
    readOnlyHint: !declared.destructive && (sideEffects === "none" || sideEffects === "read"),
    destructiveHint: declared.destructive,
    openWorldHint: sideEffects === "network" || sideEffects === "execute",
  };
}
