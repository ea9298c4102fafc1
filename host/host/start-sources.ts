/** Last stage of a host: registers and loads its tools, and follows changes if the host watches. */

import { problemToText } from "../../manifests/mod.ts";
import { registerBuiltins } from "../sources/builtin.ts";
import { createToolkits, type Toolkits } from "../sources/toolkits.ts";
import type { HostOptions } from "./host-options.ts";
import type { HostPolicy } from "./host-policy.ts";
import type { CallsStage } from "./open-calls.ts";
import type { GrantsStage } from "./open-grants.ts";
import type { GroundStage } from "./open-ground.ts";
import type { PluginsStage } from "./open-plugins.ts";
import type { PoliciesStage } from "./open-policies.ts";
import type { RegistryStage } from "./open-registry.ts";

export interface SourcesStage {
  readonly toolkits: Toolkits;
  readonly policy: HostPolicy;
  /** Applies the changes of `bascule.json`, grants, secrets, settings, MCP servers and plugins; returns the number of changed plugins. */
  readonly reload: () => Promise<number>;
  /** Applies the changes of `bascule.json` and of its MCP servers. */
  readonly reloadServers: () => Promise<void>;
  readonly unwatchSettings: () => void;
}

interface EarlierStages {
  readonly ground: GroundStage;
  readonly rights: GrantsStage;
  readonly tools: RegistryStage;
  readonly plugins: PluginsStage;
  readonly policies: PoliciesStage;
  readonly calls: CallsStage;
}

/** @throws {ToolRegistrationError} if a tool of the embedding program is invalid. */
export async function startSources(stages: EarlierStages, options: HostOptions): Promise<SourcesStage> {
  const { log, clock } = stages.ground.platform;
  const { registry, projectTools, snapshot } = stages.tools;
  const { directory } = stages.plugins;
  const { policies } = stages.policies;
  const { reload, reloadServers, refreshSettings } = reloads(stages, options);

  if (registry && options.builtins !== false) registerBuiltins(registry, { reload, readResult: stages.calls.kept.read });
  if (registry && options.tools) registry.registerMany(options.tools);
  const toolkits = createToolkits({ registry, clock, log });
  for (const toolkit of options.toolkits ?? []) await toolkits.add(toolkit);
  await projectTools?.refresh();
  await refreshSettings();
  if (options.scan !== false) await directory.scan();
  if (options.mcpServers !== false) await connectServers(stages);
  registry?.keepNames();

  const policy = policies.forHost({ snapshot, plugins: () => directory.status().flatMap(({ name }) => name ?? []) });
  // A host that lives for one call does not know all plugins, so it cannot tell which names are wrong.
  if (options.loadsAtOnce === undefined)
    for (const problem of policy.warnings()) log.write("warn", `bascule.json: ${problemToText(problem)}`);
  const unwatchSettings = options.watch === true ? await watch(stages, options) : () => {};
  return { toolkits, policy, reload, reloadServers, unwatchSettings };
}

interface Reloads extends Pick<SourcesStage, "reload" | "reloadServers"> {
  readonly refreshSettings: () => Promise<void>;
}

function reloads(
  { ground: { secrets }, rights: { grants }, plugins, policies: { policies } }: EarlierStages,
  options: HostOptions,
): Reloads {
  const { settings, directory, mcp } = plugins;
  async function refreshSettings(): Promise<void> {
    if (options.settings !== false) await settings.refresh();
  }
  async function applyServers(): Promise<void> {
    if (options.mcpServers !== false) await mcp.apply();
  }
  return {
    refreshSettings,
    async reload() {
      await policies.refresh();
      await secrets.refresh();
      await grants.refresh();
      await refreshSettings();
      await applyServers();
      return await directory.reloadChanged();
    },
    async reloadServers() {
      await policies.refresh();
      await applyServers();
    },
  };
}

/** Connects to the servers of `bascule.json`, and again whenever the file has changed. */
async function connectServers({ ground: { bus, onDefect }, plugins: { mcp } }: EarlierStages): Promise<void> {
  await mcp.apply();
  bus.subscribe(({ type }) => {
    if (type === "policy.reloaded") void mcp.apply().catch((error: unknown) => onDefect("MCP servers cannot be connected", error));
  });
}

/** @returns the function that stops watching settings; the directory and the policies stop when they are closed */
async function watch(
  { plugins: { directory, settings }, policies: { policies } }: EarlierStages,
  options: HostOptions,
): Promise<() => void> {
  await directory.watch();
  policies.watch();
  return options.settings === false ? () => {} : settings.watch();
}
