/** Stage of a host: confirmations by the user. */

import { isSameDecision } from "../call/decision-summary.ts";
import { type ConfirmationGate, type ConfirmationOptions, type ConfirmInput, createConfirm } from "../confirmations/confirmations.ts";
import { createPendingConfirmations, type PendingConfirmations } from "../confirmations/pending.ts";
import { createPermissionAsks, type OpenPermissionAsks } from "../confirmations/permission-asks.ts";
import { createRefusals } from "../confirmations/refusals.ts";
import { createSessionAnswers } from "../confirmations/session-answers.ts";
import type { GroundStage } from "./open-ground.ts";
import type { PoliciesStage } from "./open-policies.ts";
import type { RegistryStage } from "./open-registry.ts";

export interface ConfirmationsStage extends ConfirmationGate {
  /** Pending confirmations. */
  readonly pending: PendingConfirmations;
  /** Asks for permissions in the middle of a call. */
  readonly openAsks: OpenPermissionAsks;
  /** Forgets the answers for a session that has ended. */
  readonly endSession: (id: string) => void;
  /** Returns whether the tool, and the policy's decision about the call, are the same as when it was decided. */
  readonly isUnchanged: (decided: Pick<ConfirmInput, "tool" | "call" | "decision">) => boolean;
}

interface EarlierStages {
  readonly ground: GroundStage;
  readonly tools: RegistryStage;
  readonly policies: PoliciesStage;
}

export function openConfirmations({ ground, tools: { snapshot }, policies: { policies } }: EarlierStages): ConfirmationsStage {
  const { platform, bus, lasting, onDefect } = ground;
  const { clock, files, random } = platform;
  const pending = createPendingConfirmations();
  const isUnchanged: ConfirmationsStage["isUnchanged"] = ({ tool, call, decision }) =>
    (call.resumed?.isOfEarlierVersion === true || snapshot().getById(tool.id) === tool) &&
    isSameDecision(policies.current().decide(tool, call), decision);
  const answers = createSessionAnswers(lasting && { store: lasting.space("answers"), clock, onDefect });
  const options: ConfirmationOptions = {
    emit: bus.emit,
    newId: random.uuidv7,
    platform,
    clock,
    pending,
    answers,
    // Shared, so that a plugin cannot ask by one way what was refused by the other.
    refusals: createRefusals(clock),
    timeoutMs: policies.confirmationTimeoutMs,
    isUnchanged,
    onDefect,
  };
  return {
    pending,
    endSession: answers.endSession,
    ...createConfirm(options),
    openAsks: createPermissionAsks({ ...options, files }),
    isUnchanged,
  };
}
