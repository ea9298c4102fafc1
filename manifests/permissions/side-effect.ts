/** Side effects that a tool declares, and the class that they add up to (SPEC P8). */

export const SIDE_EFFECTS = ["read", "write", "network", "llm", "execute", "system"] as const;
/** A side effect that a tool declares. The host refuses others. */
export type SideEffect = (typeof SIDE_EFFECTS)[number];

/** Ordered from harmless to powerful. */
export const SIDE_EFFECT_CLASSES = ["none", "read", "write", "network", "execute"] as const;
/** The most powerful of a tool's side effects; confirmations and policies go by it. */
export type SideEffectClass = (typeof SIDE_EFFECT_CLASSES)[number];

/** Older names of side effects (SPEC M9, P8). */
export const OLDER_SIDE_EFFECTS: ReadonlyMap<string, SideEffect> = new Map([
  ["read_only", "read"],
  ["modifies_files", "write"],
  ["network_access", "network"],
  ["local_exec", "execute"],
  ["calls_llm", "llm"],
  ["system_state", "system"],
]);

/** The class of each side effect. */
export const CLASS_OF: Readonly<Record<SideEffect, SideEffectClass>> = {
  read: "read",
  write: "write",
  network: "network",
  llm: "network",
  execute: "execute",
  system: "execute",
};

/** Returns the highest class of the declared side effects; `none` without any. */
export function sideEffectClass(effects: readonly SideEffect[]): SideEffectClass {
  let highest = 0;
  for (const effect of effects) highest = Math.max(highest, SIDE_EFFECT_CLASSES.indexOf(CLASS_OF[effect]));
  return SIDE_EFFECT_CLASSES[highest] ?? "none";
}
