/** A plugin's use according to the journal, compared with what it requests and was granted (SPEC I5, P9). */

import type { Audit } from "../../audit/audit.ts";
import type { GrantReader } from "../../call/grant.ts";
import type { Places } from "../../project/places.ts";
import type { PluginStatus } from "../folder/status.ts";
import type { PermissionBases, Permissions } from "../../../manifests/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import { realDirectoryOf } from "../folder/mod.ts";
import type { RecordedActs } from "../../audit/acts.ts";
import { learnSlices, type LearnedLine, type LeftOut } from "./learn.ts";
import { createMaximum } from "./maximum.ts";
import { withResolved } from "./resolved.ts";
import { type UnusedItem, unusedSlices } from "./unused.ts";

/** Plain JSON. Paths and names are the plugin's own text: sanitize them before they are shown. */
export interface PluginUse extends Omit<RecordedActs, "acts"> {
  readonly plugin: string;
  /** The narrowest permissions that cover its acts, within what it requests. */
  readonly used: Permissions;
  readonly lines: readonly LearnedLine[];
  /** Acts that `used` does not cover. */
  readonly leftOut: readonly LeftOut[];
  readonly leftOutMore: number;
  /** Requested or granted, and never used. */
  readonly unused: { readonly manifest: readonly UnusedItem[]; readonly grants: readonly UnusedItem[] };
}

/** The part of a host that knows what a plugin used. */
interface LearningHost {
  plugins(): readonly PluginStatus[];
  readonly places: Pick<Places, "folders" | "workspace" | "root">;
  readonly grants: GrantReader;
  readonly audit: Pick<Audit, "flush" | "acts">;
}

/** @returns undefined if the plugin is unknown or its manifest cannot be read. @throws {JournalError} if the record cannot be. */
export async function usedBy(
  plugin: string,
  { host, platform }: { readonly host: LearningHost; readonly platform: Pick<Platform, "files" | "slices"> },
): Promise<PluginUse | undefined> {
  const status = host.plugins().find(({ name }) => name === plugin);
  if (status?.manifest === undefined) return undefined;
  const { manifest, digest = "" } = status;
  const directory = realDirectoryOf(status);
  const { folders, workspace, root } = host.places;
  const bases: PermissionBases = { ...folders, data: `${folders.data}/${plugin}`, base: directory, plugin: directory, workspace };
  const requires = new Map(manifest.tools.map(({ name, requires: required }) => [name, required] as const));
  await host.audit.flush();
  const { acts: recorded, ...rest } = await host.audit.acts({ plugin, requires, bases });
  const acts = await withResolved(recorded, platform);
  const { permissions: used, ...learned } = await platform.slices.run(
    learnSlices(acts, { maximum: createMaximum(manifest.permissions, bases) }),
  );
  const granted = host.grants.find(plugin, directory, digest) ?? {};
  const unused = {
    manifest: await platform.slices.run(unusedSlices(manifest.permissions, acts, bases)),
    grants: await platform.slices.run(unusedSlices(granted, acts, { ...bases, base: root })),
  };
  return { plugin, ...rest, used, ...learned, unused };
}
