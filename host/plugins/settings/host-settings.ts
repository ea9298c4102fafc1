/** Plugins' settings as the embedding program and doors ask for them: by the plugin's name (SPEC G1). */

import type { Manifest } from "../../../manifests/mod.ts";
import type { PluginStatus } from "../folder/mod.ts";
import { type PluginSettingsSource, type SettingChange, SettingsError, type SettingsView } from "./plugin-settings.ts";

/** Settings of the plugins that are there, callable or not. */
export interface HostSettings {
  /** @throws {SettingsError} if there is no such plugin, or its manifest cannot be read. */
  view(plugin: string): SettingsView;
  /** @throws {SettingsError} also if the key or value is wrong; then nothing was written. */
  change(plugin: string, change: SettingChange): Promise<SettingsView>;
}

export function hostSettings(settings: PluginSettingsSource, status: () => readonly PluginStatus[]): HostSettings {
  function manifestOf(plugin: string): Manifest {
    const manifest = status().find(({ name }) => name === plugin)?.manifest;
    if (manifest === undefined) throw new SettingsError(`There is no plugin "${plugin}" whose manifest can be read`);
    return manifest;
  }
  return {
    view: (plugin) => settings.view(manifestOf(plugin)),
    change: async (plugin, change) => await settings.change(manifestOf(plugin), change),
  };
}

/** The status with what is wrong with an edit of the plugin's settings, while earlier ones are in force. */
export function withSettingsWarnings(status: PluginStatus, settings: Pick<PluginSettingsSource, "warningsOf">): PluginStatus {
  const warnings = status.manifest === undefined ? [] : settings.warningsOf(status.manifest);
  return warnings.length === 0 ? status : { ...status, problems: [...status.problems, ...warnings] };
}
