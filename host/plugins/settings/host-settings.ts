/** Plugin settings by plugin name, for the embedding program and doors (SPEC G1). */

import type { Manifest } from "../../../manifests/mod.ts";
import type { PluginStatus } from "../folder/mod.ts";
import { type PluginSettingsSource, type SettingChange, SettingsError, type SettingsView } from "./plugin-settings.ts";

/** Settings of all known plugins, callable or not. */
export interface HostSettings {
  /** @throws {SettingsError} if the plugin is not found, or its manifest is not readable. */
  view(plugin: string): SettingsView;
  /** @throws {SettingsError} also if the key or value is not valid; nothing is written then. */
  change(plugin: string, change: SettingChange): Promise<SettingsView>;
}

export function hostSettings(settings: PluginSettingsSource, status: () => readonly PluginStatus[]): HostSettings {
  function manifestOf(plugin: string): Manifest {
    const manifest = status().find(({ name }) => name === plugin)?.manifest;
    if (manifest === undefined) throw new SettingsError(`Plugin "${plugin}" not found, or its manifest is not readable`);
    return manifest;
  }
  return {
    view: (plugin) => settings.view(manifestOf(plugin)),
    change: async (plugin, change) => await settings.change(manifestOf(plugin), change),
  };
}

/** Adds warnings about an invalid edit of the plugin's settings while the previous ones are in force. */
export function withSettingsWarnings(status: PluginStatus, settings: Pick<PluginSettingsSource, "warningsOf">): PluginStatus {
  const warnings = status.manifest === undefined ? [] : settings.warningsOf(status.manifest);
  return warnings.length === 0 ? status : { ...status, problems: [...status.problems, ...warnings] };
}
