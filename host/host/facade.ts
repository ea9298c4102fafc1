/** The object that callers get from `createHost`: each method is wired to the stage that does the work. It holds no state of its own. */

import { problemToText } from "../../manifests/mod.ts";
import { createAudit } from "../audit/audit.ts";
import { hostGauges, toPrometheus } from "../audit/telemetry/mod.ts";
import type { BundleActs } from "../plugins/bundles/bundles.ts";
import { lazyBundles } from "../plugins/bundles/lazy-bundles.ts";
import { type ConsentActs, createConsentActs } from "../plugins/consent/consent-acts.ts";
import { createPluginSources } from "../plugins/consent/plugin-sources.ts";
import { createVersions } from "../plugins/consent/versions.ts";
import { grantTo, revokeFrom } from "../plugins/consent/grant-to.ts";
import type { Installer } from "../plugins/installing/installer.ts";
import { lazyInstaller } from "../plugins/installing/lazy-installer.ts";
import { hostSettings, withSettingsWarnings } from "../plugins/settings/host-settings.ts";
import { VERSION } from "../primitives/version.ts";
import { noticesOf } from "../project/trust/project-trust.ts";
import type { McpActs } from "../sources/mcp/mod.ts";
import { createSkills } from "../sources/skills.ts";
import { callActs, effectActs, exportActs, sessionActs } from "./call-acts.ts";
import { closeOnce } from "./close-host.ts";
import type { Host } from "./host-interface.ts";
import type { HostStages } from "./host-stages.ts";
import { keepingAlive } from "./kept-alive.ts";
import { createListings, type Listings } from "./listings.ts";

export function createFacade(stages: HostStages): Host {
  const { platform, places, service, store } = stages.ground;
  const { sessions } = stages.calls;
  const listings = createListings({
    snapshot: stages.tools.snapshot,
    policies: stages.policies.policies,
    defaultSession: () => sessions.default,
  });
  const close = closeOnce(stages);
  /** Waits until the effects are durable before the caller gets the result, if the journal can be written. */
  async function recorded<T>(done: Promise<T>): Promise<T> {
    const result = await done;
    await store?.flush();
    return result;
  }
  return keepingAlive(platform.clock, {
    ...callActs(stages),
    ...sessionActs(stages),
    ...effectActs(stages, recorded),
    ...exportActs(stages, listings),
    ...toolActs(stages, listings),
    ...pluginActs(stages),
    ...grantActs(stages, recorded),
    ...installActs(stages),
    ...viewsOf(stages),
    places,
    audit: createAudit({ service, slices: platform.slices, store }, places),
    close,
    [Symbol.asyncDispose]: close,
  });
}

type ToolActs = Listings & Pick<Host, "skills" | "toolkits" | "register" | "policy" | "why">;

function toolActs({ ground, tools, policies: { policies }, calls, sources }: HostStages, listings: Listings): ToolActs {
  const { registry, snapshot } = tools;
  return {
    ...listings,
    skills: createSkills(registry),
    toolkits: keepingAlive(ground.platform.clock, { ...sources.toolkits }),
    register(factory, into) {
      if (!registry) throw new Error("Cannot register a tool: the host was created with registry: null");
      return registry.register(factory, into);
    },
    policy: sources.policy,
    why(name, act, session = calls.sessions.default) {
      const tool = snapshot().find(name);
      if (tool === undefined) return undefined;
      const explanation = policies.explain(tool, session, act);
      return { ...explanation, quotas: calls.quotas.read({ tool, session, quotas: explanation.quotas }) };
    },
  };
}

type PluginActs = McpActs & Pick<Host, "plugins" | "sources" | "logLines" | "checkForChanges" | "reload" | "settings">;

function pluginActs({ ground, plugins: { directory, settings, mcp }, sources }: HostStages): PluginActs {
  const { platform, service, places } = ground;
  return {
    ...mcp.acts,
    plugins: () => directory.status().map((status) => withSettingsWarnings(status, settings)),
    sources: createPluginSources({ platform, service, directory, versions: createVersions(platform, places.versionsFolder) }),
    logLines: ground.logLines,
    checkForChanges: directory.checkForChanges,
    reload: sources.reload,
    settings: hostSettings(settings, directory.status),
  };
}

type GrantActs = ConsentActs & Pick<Host, "grant" | "revoke" | "grants">;

/** @param recorded waits until the effects are durable */
function grantActs(
  { ground, rights: { grants }, plugins: { directory, consent } }: HostStages,
  recorded: <T>(done: Promise<T>) => Promise<T>,
): GrantActs {
  const { bus, places } = ground;
  const { files } = ground.platform;
  const granting = { directory, grants, consent, bus, files, root: places.root };
  return {
    ...createConsentActs({
      directory,
      consent,
      grants,
      files,
      removeData: ground.dataFolders.remove,
      onGrantsChanged: (plugin) => bus.emit({ type: "grant.changed", plugin, payload: {} }),
    }),
    grant: async (plugin, permissions) => await recorded(grantTo(plugin, permissions, granting)),
    revoke: (plugin, taken) => revokeFrom(plugin, taken, granting),
    grants,
  };
}

function installActs(stages: HostStages): BundleActs & Installer {
  const { ground, sources } = stages;
  const { grants } = stages.rights;
  const { directory, consent, mcp } = stages.plugins;
  const { platform, service, places } = ground;
  return {
    ...lazyBundles({ platform, service, places, consent, mcp: mcp.acts, reload: sources.reloadServers }),
    ...lazyInstaller({ platform, service, directory, consent, grants, roots: places.pluginRoots }),
  };
}

type Views = Pick<Host, "notices" | "events" | "subscribe" | "confirmations" | "metrics" | "load">;

/** Returns views of the host's state. */
function viewsOf({ ground, tools, plugins, policies, confirmations, calls, sources }: HostStages): Views {
  const { bus, places } = ground;
  const { consent, directory, sandbox } = plugins;
  const { pending } = confirmations;
  const list: Host["confirmations"]["list"] = () => {
    calls.resumed?.readAll();
    return pending.list();
  };
  return {
    notices: () =>
      [
        policies.policies.notices(),
        consent.notices(),
        directory.notices(),
        noticesOf(places.trust),
        sources.policy.warnings().map(problemToText),
      ].flat(),
    events: { [Symbol.asyncIterator]: () => bus.events() },
    subscribe: bus.subscribe,
    confirmations: {
      list,
      answer(requestId, answer) {
        calls.resumed?.readAll();
        return pending.answer(requestId, answer);
      },
    },
    load: () => sandbox.use?.(),
    metrics: () =>
      toPrometheus([
        ...hostGauges({
          version: VERSION,
          tools: tools.snapshot().tools.length,
          plugins: directory.status().map(({ state }) => state),
          confirmations: list().length,
          ...(sandbox.use && { sandbox: sandbox.use() }),
        }),
        ...(calls.telemetry?.families() ?? []),
      ]),
  };
}
