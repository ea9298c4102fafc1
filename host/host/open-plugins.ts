/** Stage of a host: plugins, with the sandbox that runs them, their settings and the user's consent; and tools of MCP servers. */

import type { Sandbox } from "../../sandbox/mod.ts";
import type { Consent } from "../plugins/consent/consent.ts";
import { openConsent } from "../plugins/consent/open-consent.ts";
import type { PluginDirectory } from "../plugins/folder/mod.ts";
import { createPluginSettings, type PluginSettingsSource } from "../plugins/settings/plugin-settings.ts";
import type { McpSource } from "../sources/mcp/mod.ts";
import { openMcpSource } from "../sources/mcp/open-mcp-source.ts";
import type { HostOptions } from "./host-options.ts";
import { createIdleSandbox } from "./idle-sandbox.ts";
import { basesOf, openDirectory } from "./open-directory.ts";
import type { GrantsStage } from "./open-grants.ts";
import type { GroundStage } from "./open-ground.ts";
import type { RegistryStage } from "./open-registry.ts";
import { isolationOf, openSandbox } from "./open-sandbox.ts";

export interface PluginsStage {
  readonly sandbox: Sandbox;
  readonly settings: PluginSettingsSource;
  readonly consent: Consent;
  readonly directory: PluginDirectory;
  readonly mcp: McpSource;
}

interface EarlierStages {
  readonly ground: GroundStage;
  readonly rights: GrantsStage;
  readonly tools: RegistryStage;
}

/**
 * Loads nothing yet: `startSources` does.
 *
 * @param opened closes the sandbox and the sources if a later stage fails
 * @throws {LockFileError} if `bascule.lock` is broken, or is missing in a frozen host.
 */
export async function openPlugins(
  { ground, rights, tools }: EarlierStages,
  options: HostOptions,
  opened: AsyncDisposableStack,
): Promise<PluginsStage> {
  const { platform, places, bus, secrets, onDefect } = ground;
  const { grants, codePolicy } = rights;
  const { registry } = tools;
  const { loadsAtOnce, warmWorkers } = options;
  const isolation = isolationOf(options.isolation, () => places.project.config().isolation);
  const own = (): Sandbox =>
    places.pluginRoots.length === 0
      ? createIdleSandbox()
      : openSandbox(platform, isolation, { onDefect, ...(warmWorkers && { warmWorkers }) });
  const sandbox = options.sandbox ?? own();
  opened.defer(() => sandbox.close());
  const settings = createPluginSettings({ platform, folder: places.settingsFolder, emit: bus.emit });
  const consent = await openConsent(platform, { places, grants, bases: basesOf(places), registry }, options.consent);
  const directory = openDirectory(platform, {
    places,
    registry,
    bus,
    sandbox,
    settings,
    consent,
    section: codePolicy.section,
    loadsAtOnce,
  });
  // The directory asks the settings which tools are disabled, and changed settings load plugins again.
  settings.follow({
    manifestOf: (plugin) => directory.status().find(({ name }) => name === plugin)?.manifest,
    onChange: (plugin) => directory.reconsider(plugin),
  });
  opened.defer(() => directory.close());
  const mcp = openMcpSource({ platform, places, registry, emit: bus.emit, consent, secrets, wanted: options.mcpServers });
  opened.defer(() => mcp.close());
  return { sandbox, settings, consent, directory, mcp };
}
