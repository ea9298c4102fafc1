/** Decides the confirmation mode of a call, and the setting that caused it (SPEC E1). Pure. */

import type { ConfirmationConfig, ConfirmMode, SideEffectClass } from "../../manifests/mod.ts";
import type { Because } from "../call/call.ts";
import type { Session } from "../call/session.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { isStricter } from "../call/strictness.ts";

/** Inputs of the decision. */
export interface ModeInput {
  readonly tool: RegisteredTool;
  readonly class: SideEffectClass;
  /** Whether the tool can write nothing but its plugin's own data (`$data`), which the user granted for this. */
  readonly writesOnlyData: boolean;
  readonly session: Pick<Session, "workspace" | "confirmation">;
  readonly config: ConfirmationConfig;
  /** Mode from a policy rule; has the rank of `perTool`, and the stricter of the two applies. */
  readonly rule?: { readonly value: ConfirmMode; readonly because: Because };
  /** Approval that a permission type requires for tools of this class, in place of the class default (SPEC P7). */
  readonly approval?: { readonly required: boolean; readonly because: Because };
  /** Returns whether a workspace lies in a folder of `trustedWorkspaces`. Absolute. */
  readonly isTrusted: (workspace: string) => boolean;
}

/** The mode and its cause. */
export interface ModeDecision {
  readonly mode: ConfirmMode;
  readonly because: Because;
}

const CLASS_DEFAULTS: Readonly<Record<SideEffectClass, ConfirmMode>> = {
  none: "auto",
  read: "auto",
  write: "prompt",
  network: "prompt",
  execute: "prompt",
};
/** Modes in a trusted workspace, unless its overrides change them. */
const TRUSTED_DEFAULTS: Readonly<Record<SideEffectClass, ConfirmMode>> = {
  none: "auto",
  read: "auto",
  write: "auto",
  network: "auto",
  execute: "prompt",
};

/**
 * Decides the mode. Precedence: deny, per tool, trusted-workspace override, class default. A session's own table can only make it stricter,
 * and a destructive tool always asks unless it is denied.
 */
export function confirmationMode(input: ModeInput): ModeDecision {
  const { tool, session } = input;
  const candidates = candidatesOf(input);
  const decided = candidates.find(({ mode }) => mode === "deny") ?? candidates[0] ?? { mode: "prompt", because: from("default") };
  const own = session.confirmation?.[input.class];
  const strict = own !== undefined && isStricter(own, decided.mode) ? { mode: own, because: from(`session ${input.class}`) } : decided;
  const lenient = strict.mode === "auto" || strict.mode === "prompt_once";
  return tool.definition.destructive && lenient ? { mode: "prompt", because: from("destructive") } : strict;
}

/** Returns the candidates in order of precedence. */
function candidatesOf(input: ModeInput): readonly ModeDecision[] {
  const { tool, config, rule, session } = input;
  const candidates: ModeDecision[] = [];

  const perTool = named(config.perTool, tool);
  const ofRule = rule && { mode: rule.value, because: rule.because };
  if (perTool !== undefined && ofRule !== undefined) candidates.push(isStricter(ofRule.mode, perTool.mode) ? ofRule : perTool);
  else if (perTool !== undefined) candidates.push(perTool);
  else if (ofRule !== undefined) candidates.push(ofRule);

  if (input.isTrusted(session.workspace)) {
    const override =
      named(config.trustedWorkspaceOverrides, tool, "trustedWorkspaceOverrides") ?? ofClass(config.trustedWorkspaceOverrides, input.class);
    candidates.push(override ?? { mode: TRUSTED_DEFAULTS[input.class], because: from("trustedWorkspaces") });
  }
  candidates.push(defaultOf(input));
  return candidates;
}

/** Returns the stricter of the project's mode and the permission type's; without both, the class's default. */
function defaultOf({ class: sideEffects, writesOnlyData, config, approval }: ModeInput): ModeDecision {
  const written = config.default[sideEffects];
  const ofDefault: ModeDecision | undefined = written && { mode: written, because: from(`default ${sideEffects}`) };
  const ofType: ModeDecision | undefined = approval && { mode: approval.required ? "prompt" : "auto", because: approval.because };
  if (ofDefault !== undefined && ofType !== undefined) return isStricter(ofDefault.mode, ofType.mode) ? ofDefault : ofType;
  const ofData: ModeDecision | undefined =
    sideEffects === "write" && writesOnlyData ? { mode: "auto", because: from("class write, of $data only") } : undefined;
  return ofDefault ?? ofType ?? ofData ?? { mode: CLASS_DEFAULTS[sideEffects], because: from(`class ${sideEffects}`) };
}

function named(table: Readonly<Record<string, ConfirmMode>>, tool: RegisteredTool, label: string = "perTool"): ModeDecision | undefined {
  for (const name of [tool.qualifiedName, tool.name]) {
    const mode = Object.hasOwn(table, name) ? table[name] : undefined;
    // A more lenient mode for a bare name does not apply if the name belongs to another tool.
    const isMeant = name === tool.qualifiedName || tool.yieldsTo === undefined || mode === "prompt" || mode === "deny";
    if (mode !== undefined && isMeant) return { mode, because: from(`${label} ${name}`) };
  }
  return undefined;
}

function ofClass(table: Readonly<Record<string, ConfirmMode>>, name: SideEffectClass): ModeDecision | undefined {
  const mode = Object.hasOwn(table, name) ? table[name] : undefined;
  return mode && { mode, because: from(`trustedWorkspaceOverrides ${name}`) };
}

function from(rule: string): Because {
  return { layer: "confirmation", rule };
}
