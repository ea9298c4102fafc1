/** Creates the source of plugin folders, and lists their locations. */

import type { EventBus } from "../audit/event-bus.ts";
import type { Consent } from "../plugins/consent/consent.ts";
import type { CodePolicy } from "./code-policy.ts";
import type { HostOptions } from "./host-options.ts";
import type { PermissionBases } from "../../manifests/mod.ts";
import type { Places } from "../project/places.ts";
import type { Platform } from "../platform/platform.ts";
import type { Registry } from "../tools/registry.ts";
import type { Sandbox } from "../../sandbox/mod.ts";
import type { PluginSettingsSource } from "../plugins/settings/plugin-settings.ts";
import type { Snapshot } from "../tools/snapshot.ts";
import { loadRule } from "../policy/tool-limits.ts";
import { createPluginDirectory, type PluginDirectory } from "../plugins/folder/mod.ts";

/** Dependencies of the plugin directory. */
interface DirectoryParts {
  readonly places: Places;
  readonly registry: Registry | undefined;
  readonly bus: EventBus;
  readonly sandbox: Sandbox;
  readonly settings: PluginSettingsSource;
  readonly consent: Consent;
  /** Policy of the embedding program, instead of the file's. */
  readonly section: CodePolicy["section"];
  readonly loadsAtOnce: HostOptions["loadsAtOnce"];
}

/** Creates a directory that publishes its plugins to the registry, if there is one. */
export function openDirectory(platform: Platform, parts: DirectoryParts): PluginDirectory {
  const { places, registry, bus, sandbox, settings, consent, section, loadsAtOnce } = parts;
  return createPluginDirectory({
    roots: places.pluginRoots,
    ...(loadsAtOnce !== undefined && { loadsAtOnce }),
    platform,
    sandbox,
    registry: registry ?? { replaceOwner: () => undefined, removeOwner: () => undefined },
    emit: bus.emit,
    log: platform.log,
    switches: settings,
    gate: consent,
    loadLimits: (version) => ({
      ...consent.acceptedLimits(version),
      ...loadRule(section ?? places.project.config().policy, version.name),
    }),
    bases: basesOf(places),
  });
}

/** Returns the folders against which a plugin's permission items resolve. */
export function basesOf({ folders }: Places): (plugin: string, directory: string) => PermissionBases {
  return (plugin, directory) => ({ ...folders, base: directory, plugin: directory, data: `${folders.data}/${plugin}` });
}

/** Cached by snapshot, which never changes, because every file operation needs it. */
const FOLDERS: WeakMap<Snapshot, readonly string[]> = new WeakMap();

/** Returns the real folders of the serving plugins, and the files of the project's own tools. */
export function foldersOf(snapshot: Snapshot): readonly string[] {
  const known = FOLDERS.get(snapshot);
  if (known !== undefined) return known;
  const folders = new Set<string>();
  for (const { binding, plugin } of snapshot.tools) {
    if (binding.kind !== "plugin") continue;
    const { directory, files } = binding.version;
    for (const path of plugin === undefined ? [...files.keys()].map((file) => `${directory}/${file}`) : [directory]) folders.add(path);
  }
  const list = [...folders];
  FOLDERS.set(snapshot, list);
  return list;
}
