/** Which confirmation mode a call has, and who said so (SPEC E1). Pure. */

import type { ConfirmationConfig, ConfirmMode, SideEffectClass } from "../../manifests/mod.ts";
import type { Because } from "../call/call.ts";
import type { Session } from "../call/session.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { isStricter } from "../call/strictness.ts";

/** Everything the mode depends on. */
export interface ModeInput {
  readonly tool: RegisteredTool;
  readonly class: SideEffectClass;
  readonly session: Pick<Session, "workspace" | "confirmation">;
  readonly config: ConfirmationConfig;
  /** What a policy rule says; ranks with `perTool`, and the stricter of the two counts. */
  readonly rule?: { readonly value: ConfirmMode; readonly because: Because };
  /** What a permission type says of tools of this class, in place of the class default (SPEC P7). */
  readonly approval?: { readonly required: boolean; readonly because: Because };
  /** Absolute folders of `trustedWorkspaces`. */
  readonly isTrusted: (workspace: string) => boolean;
}

/** How a call is confirmed, and what decided. */
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
/** What a trusted workspace does not lower unless its overrides say so. */
const TRUSTED_DEFAULTS: Readonly<Record<SideEffectClass, ConfirmMode>> = {
  none: "auto",
  read: "auto",
  write: "auto",
  network: "auto",
  execute: "prompt",
};

/**
 * Precedence: deny, per tool, trusted-workspace override, class default. A session's own table only makes it stricter,
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

/** In order of precedence. */
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

/** The stricter of what the project and a permission type say of the class; where neither does, the class's own mode. */
function defaultOf({ class: sideEffects, config, approval }: ModeInput): ModeDecision {
  const written = config.default[sideEffects];
  const ofDefault: ModeDecision | undefined = written && { mode: written, because: from(`default ${sideEffects}`) };
  const ofType: ModeDecision | undefined = approval && { mode: approval.required ? "prompt" : "auto", because: approval.because };
  if (ofDefault !== undefined && ofType !== undefined) return isStricter(ofDefault.mode, ofType.mode) ? ofDefault : ofType;
  return ofDefault ?? ofType ?? { mode: CLASS_DEFAULTS[sideEffects], because: from(`class ${sideEffects}`) };
}

function named(table: Readonly<Record<string, ConfirmMode>>, tool: RegisteredTool, label: string = "perTool"): ModeDecision | undefined {
  for (const name of [tool.qualifiedName, tool.name]) {
    const mode = Object.hasOwn(table, name) ? table[name] : undefined;
    // Fewer questions by a name that is another's are not meant for it.
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
