/** Stage of a host: the policy in force, and the running calls that lose a permission when it changes. */

import { Revocations } from "../dispatch/revocations.ts";
import type { HostOptions } from "./host-options.ts";
import { foldersOf } from "./open-directory.ts";
import type { GrantsStage } from "./open-grants.ts";
import type { GroundStage } from "./open-ground.ts";
import type { PluginsStage } from "./open-plugins.ts";
import type { RegistryStage } from "./open-registry.ts";
import { createPolicySource, type PolicySource } from "./policy-source.ts";

export interface PoliciesStage {
  readonly policies: PolicySource;
  readonly revocations: Revocations;
}

interface EarlierStages {
  readonly ground: GroundStage;
  readonly rights: GrantsStage;
  readonly tools: RegistryStage;
  readonly plugins: PluginsStage;
}

export function openPolicies({ ground, rights, tools, plugins }: EarlierStages, options: HostOptions): PoliciesStage {
  const { platform, places, bus } = ground;
  const { grants, codePolicy, rightsChange } = rights;
  const { snapshot, projectTools } = tools;
  const { consent, directory } = plugins;
  const policies = createPolicySource({
    platform,
    places,
    grants,
    codePolicy,
    learning: options.learning,
    emit: bus.emit,
    acceptedLimits: consent.acceptedLimits,
    pluginFolders: [() => foldersOf(snapshot()), directory.places],
    onChange: rightsChange.notify,
    onRefresh: async () => void (await Promise.all([consent.refresh(), projectTools?.refresh()])),
  });
  const revocations = new Revocations(() => ({ policy: policies.current(), registry: snapshot() }));
  rightsChange.follow(() => revocations.recheck());
  return { policies, revocations };
}
