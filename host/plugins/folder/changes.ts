/** Lists changed folders. Reads those that look different, and loads nothing (SPEC H2). */

import type { Files } from "../../platform/platform.ts";
import { pathOf, type Place } from "./discover.ts";
import { forEachLimited } from "../../primitives/keyed-queue.ts";
import type { FolderState } from "./read.ts";
import { signFolder } from "./read.ts";
import { isKnownState, manifestOf, type PluginRecord, seenNow } from "./record.ts";
import type { PluginChange } from "./status.ts";

interface ChangesOptions {
  readonly files: Files;
  readonly read: (place: Place) => Promise<FolderState>;
  readonly now: () => number;
}

const READS_AT_ONCE = 8;

/** A changed folder. */
export interface PlacedChange {
  readonly place: Place;
  /** Absent if there was no plugin before and is none now. */
  readonly change?: PluginChange;
}

/** @param places present folders of the roots */
export async function findChanges(
  places: readonly Place[],
  records: ReadonlyMap<string, PluginRecord>,
  options: ChangesOptions,
): Promise<readonly PlacedChange[]> {
  const all = new Map(places.map((place) => [pathOf(place), place]));
  for (const [path, record] of records) all.set(path, record.place);
  const changes: PlacedChange[] = [];
  await forEachLimited([...all.values()], READS_AT_ONCE, async (place) => {
    const change = await findChange(place, records.get(pathOf(place)), options);
    if (change !== undefined) changes.push(change);
  });
  return changes.toSorted((a, b) => (pathOf(a.place) < pathOf(b.place) ? -1 : 1));
}

async function findChange(place: Place, record: PluginRecord | undefined, options: ChangesOptions): Promise<PlacedChange | undefined> {
  if (record !== undefined && !(await looksDifferent(place, record, options.files))) return undefined;
  const seen = record?.seen;
  const readMs = options.now();
  const state = await options.read(place);
  if (record !== undefined && isKnownState(record, state)) {
    // Touched but unchanged. Skipped if another look has updated the record meanwhile.
    if (record.seen === seen) record.seen = seenNow(state, readMs);
    return undefined;
  }
  const kind = kindOf(record, state);
  const name = record === undefined ? undefined : manifestOf(record)?.name;
  return kind === undefined ? { place } : { place, change: { kind, directory: pathOf(place), ...(name !== undefined && { name }) } };
}

/** Returns whether the folder must be read to find out. */
export async function looksDifferent(place: Place, record: PluginRecord, files: Files): Promise<boolean> {
  if (record.seen === undefined || record.seen.racy) return true;
  return (await signFolder(files, place))?.signature !== record.seen.signature;
}

function kindOf(record: PluginRecord | undefined, state: FolderState): PluginChange["kind"] | undefined {
  const wasPlugin = record !== undefined && record.outcome.kind !== "new" && record.outcome.kind !== "ignored";
  const isPlugin = state.kind === "read" || state.kind === "refused";
  if (wasPlugin) return isPlugin ? "changed" : "removed";
  return isPlugin ? "added" : undefined;
}
