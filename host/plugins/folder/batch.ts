/** Loads many plugins at once, in an order that does not depend on timing (SPEC M7, R2). */

import { type Candidate, isOlder, toCandidate } from "./compile.ts";
import { loadOrder } from "./dependencies.ts";
import { compareText } from "../../primitives/digest.ts";
import { forEachLimited } from "../../primitives/keyed-queue.ts";
import type { Publication } from "./publication.ts";
import type { FolderState } from "./read.ts";
import { type PluginRecord, seenNow } from "./record.ts";

interface BatchOptions {
  readonly publication: Publication;
  readonly read: (record: PluginRecord) => Promise<FolderState>;
  readonly now: () => number;
  /** Called if a plugin could not be processed because of a bug in the host. */
  readonly onDefect: (record: PluginRecord, defect: unknown) => void;
}

const READS_AT_ONCE = 8;

/**
 * Reads all plugins, assigns names in order, then loads each as soon as its dependencies are done.
 *
 * A slow plugin, up to its limit, delays only those that depend on it.
 */
export async function loadBatch(records: readonly PluginRecord[], options: BatchOptions): Promise<void> {
  const { publication, onDefect } = options;
  const entries: Entry[] = [];
  await forEachLimited(records, READS_AT_ONCE, async (record) => {
    try {
      const readMs = options.now();
      const state = await options.read(record);
      record.seen = seenNow(state, readMs);
      entries.push({ record, state, candidate: toCandidate(state, { plugins: new Set() }) });
    } catch (defect) {
      onDefect(record, defect);
    }
  });

  // Names are claimed right after the last read, so a plugin that waits for others keeps its claim.
  const plugins = new Set(entries.flatMap(({ candidate }) => nameOf(candidate) ?? []));
  const claimed = entries
    .map((entry) => withNames(entry, plugins))
    .map((entry) => ({ ...entry, rank: publication.rankOf(entry.record, entry.candidate) }))
    .toSorted(byName)
    .map(({ record, candidate }) => ({ record, candidate: publication.claim(record, candidate) }));
  const byPlugin = new Map(
    claimed.flatMap(({ candidate }) => (candidate.kind === "ready" ? [[candidate.manifest.name, candidate.manifest]] : [])),
  );
  const ranks = new Map(loadOrder(byPlugin).map((name, rank) => [name, rank]));
  const done = new Map<string, Promise<void>>();
  const rankOf = ({ candidate }: { readonly candidate: Candidate }): number => ranks.get(nameOf(candidate) ?? "") ?? -1;

  // Plugins that cannot be loaded come first, so that their dependents show the reason.
  for (const { record, candidate } of claimed.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const needed = candidate.kind === "ready" ? Object.keys(candidate.manifest.dependencies) : [];
    // Waits only for plugins earlier in the order, so members of a cycle do not wait for one another.
    const waits = needed.flatMap((name) => done.get(name) ?? []);
    const loaded = Promise.all(waits)
      .then(() => advance(record, candidate))
      .catch((defect: unknown) => onDefect(record, defect));
    done.set(nameOf(candidate) ?? record.path, loaded);
  }
  await Promise.all(done.values());

  async function advance(record: PluginRecord, candidate: Candidate): Promise<void> {
    const failure = await publication.advance(record, candidate);
    if (failure !== undefined) publication.fail(record, failure);
  }
}

interface Entry {
  readonly record: PluginRecord;
  readonly state: FolderState;
  readonly candidate: Candidate;
}

interface Claimant extends Entry {
  readonly rank: number;
}

/** Reads a manifest of the older spelling again, once the names of all plugins are known. */
function withNames(entry: Entry, plugins: ReadonlySet<string>): Entry {
  const { candidate, state } = entry;
  return isOlder(candidate) ? { ...entry, candidate: toCandidate(state, { plugins }) } : entry;
}

/** Orders by who served before, then by name, then the folder of that name, then earlier roots. */
function byName(a: Claimant, b: Claimant): number {
  const [left, right] = [nameOf(a.candidate) ?? "", nameOf(b.candidate) ?? ""];
  const own = Number(b.record.place.folder === right) - Number(a.record.place.folder === left);
  return (
    b.rank - a.rank ||
    compareText(left, right) ||
    own ||
    a.record.place.rootIndex - b.record.place.rootIndex ||
    compareText(a.record.place.folder, b.record.place.folder)
  );
}

function nameOf(candidate: Candidate): string | undefined {
  return candidate.kind === "ready" ? candidate.manifest.name : undefined;
}
