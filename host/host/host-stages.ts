/** All stages of an open host, in their order. Types only. */

import type { CallsStage } from "./open-calls.ts";
import type { ConfirmationsStage } from "./open-confirmations.ts";
import type { EffectsStage } from "./open-effects.ts";
import type { GrantsStage } from "./open-grants.ts";
import type { GroundStage } from "./open-ground.ts";
import type { PluginsStage } from "./open-plugins.ts";
import type { PoliciesStage } from "./open-policies.ts";
import type { RegistryStage } from "./open-registry.ts";
import type { SourcesStage } from "./start-sources.ts";

/** Each stage is opened with the ones before it, and needs none after it. */
export interface HostStages {
  readonly ground: GroundStage;
  readonly rights: GrantsStage;
  readonly tools: RegistryStage;
  readonly plugins: PluginsStage;
  readonly policies: PoliciesStage;
  readonly confirmations: ConfirmationsStage;
  readonly effects: EffectsStage;
  readonly calls: CallsStage;
  readonly sources: SourcesStage;
}
