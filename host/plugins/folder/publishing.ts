/** Which folder's tools are registered under which name. */

import { callablesOf, confusableKey, type Manifest } from "../../../manifests/mod.ts";
import type { OwnerStanding } from "../../tools/registry.ts";
import type { ToolBinding } from "../../tools/tool.ts";
import type { Announcements } from "./announce.ts";
import { hasMovedOn } from "./claims.ts";
import type { PluginImages } from "./images.ts";
import { type PluginRecord, reasonOf } from "./record.ts";
import type { PluginSwitches, Publish } from "./status.ts";

interface Publishing {
  /** Publishes everything that the plugin offers in one snapshot, and displaces the previous publisher of the name. */
  publish(record: PluginRecord, manifest: Manifest, binding: ToolBinding): void;
  /** Publishes tools that answer `unavailable` with the reason; without a manifest there are none (SPEC R4). */
  publishUnavailable(record: PluginRecord, manifest: Manifest | undefined): void;
  unpublish(record: PluginRecord): void;
  /** Returns the names of tools that settings turn off. */
  turnedOff(manifest: Manifest): readonly string[];
}

interface PublishingOptions {
  readonly registry: Publish;
  readonly switches: PluginSwitches;
  readonly standing: (plugin: string, path: string, directory: string) => OwnerStanding;
  readonly images: Pick<PluginImages, "release">;
  readonly announce: Pick<Announcements, "removed">;
}

export function createPublishing({ registry, switches, standing, images, announce }: PublishingOptions): Publishing {
  /** By name. */
  const publishers = new Map<string, PluginRecord>();

  function publishUnavailable(record: PluginRecord, manifest: Manifest | undefined): void {
    if (manifest === undefined) unpublish(record);
    else publish(record, manifest, { kind: "unavailable", reason: reasonOf(record.outcome) ?? "Not loaded" });
  }

  function publish(record: PluginRecord, manifest: Manifest, binding: ToolBinding): void {
    const owner = manifest.name;
    const displaced = [...publishers.values()].filter((other) => other !== record && isInTheWay(other, owner));
    registry.replaceOwner(
      owner,
      callablesOf(manifest).map((definition, index) => ({
        definition,
        binding: switched(manifest, definition.name, binding),
        // Skills come after tools.
        source: index < manifest.tools.length ? ("plugin" as const) : ("skill" as const),
      })),
      standing(owner, record.path, binding.kind === "plugin" ? binding.version.directory : record.path),
    );
    record.turnedOff = turnedOff(manifest);
    for (const other of displaced) displace(other, owner);
    if (record.published !== owner) unpublish(record);
    publishers.set(owner, record);
    record.published = owner;
  }

  /**
   * An accepted look-alike may coexist, unless its folder has changed to another name. That is checked first, because few folders do, every
   * publication compares all others, and a key takes a microsecond.
   */
  function isInTheWay(other: PluginRecord, owner: string): boolean {
    const { published = "" } = other;
    return published === owner || (hasMovedOn(other, published) && confusableKey(published) === confusableKey(owner));
  }

  function switched(manifest: Manifest, tool: string, binding: ToolBinding): ToolBinding {
    const reason = binding.kind === "unavailable" ? undefined : switches.disabledTool(manifest, tool);
    return reason === undefined ? binding : { kind: "unavailable", reason };
  }

  function turnedOff(manifest: Manifest): readonly string[] {
    return callablesOf(manifest).flatMap(({ name }) => (switches.disabledTool(manifest, name) === undefined ? [] : [name]));
  }

  function unpublish(record: PluginRecord): void {
    if (record.published === undefined) return;
    registry.removeOwner(record.published);
    publishers.delete(record.published);
    delete record.published;
  }

  /** Withdraws a record whose name, or a similar one, was claimed by another folder (`NameClaims`). */
  function displace(record: PluginRecord, owner: string): void {
    const version = record.serving;
    if (record.published === owner) delete record.published;
    unpublish(record);
    delete record.serving;
    if (version === undefined) return;
    images.release(version.digest);
    announce.removed(record, version, "displaced");
  }

  return { publish, publishUnavailable, unpublish, turnedOff };
}
