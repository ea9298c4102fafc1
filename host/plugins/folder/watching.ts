/** Keeps a plugin directory up to date: combines events, settling and the reconcile scan (SPEC H3, H9). */

import type { Clock, Files, Log, Watcher } from "../../platform/platform.ts";
import { looksDifferent } from "./changes.ts";
import { type Discovery, identityOfRoot, pathOf, type Place, placeOf } from "./discover.ts";
import { quote } from "./problems.ts";
import { signFolder } from "./read.ts";
import { reconcile } from "./reconcile.ts";
import type { PluginRecord, Seen } from "./record.ts";
import { type Believe, createSettling, type SettleTiming } from "./settle.ts";
import { createFolderWatch } from "./watch.ts";

interface WatchingOptions {
  readonly roots: readonly string[];
  readonly files: Files;
  readonly clock: Clock;
  readonly watcher: Watcher;
  readonly log: Log;
  readonly timing: SettleTiming;
  readonly signal: AbortSignal;
  readonly records: ReadonlyMap<string, PluginRecord>;
  /** Lists the roots. */
  readonly look: () => Promise<Discovery>;
  readonly consider: (place: Place, believe: Believe) => Promise<"done" | "again">;
  readonly onTrouble: (why: string) => void;
  readonly onDefect: (path: string, defect: unknown) => void;
}

export interface Watching {
  /** Resolves when the watcher is active. */
  start(): Promise<void>;
  /** Called when a folder was read: if it was swapped or moved, other folders have to be watched. */
  onSeen(place: Place, before: Seen | undefined, now: Seen): void;
  idle(): Promise<void>;
  /** Waits until everything has stopped, after the signal has fired. */
  close(): Promise<void>;
}

export function createWatching(options: WatchingOptions): Watching {
  const { roots, files, clock, signal, records, onDefect } = options;
  const stale = new Set<string>();
  const watch = createFolderWatch(options.watcher, touch, options.onTrouble);
  const settling = createSettling({
    ...{ clock, signal, timing: options.timing, onDefect },
    sign: (path) => onPlace(path, (place) => signFolder(files, place)),
    consider: (path, believe) => onPlace(path, (place) => options.consider(place, believe)),
    onRestless: (path) => options.log.write("warn", `Plugin folder ${quote(path)} keeps changing: it is loaded when it comes to rest`),
  });
  let lookedAt = "";
  let rootsNow: Discovery["roots"] = new Map();
  const links = new Map<string, { readonly place: Place; readonly linkTarget: string }>();
  let ended: Promise<void> = Promise.resolve();

  function touch(place: Place): void {
    settling.touch(pathOf(place));
  }

  async function onPlace<T>(path: string, act: (place: Place) => Promise<T>): Promise<T> {
    const place = placeOf(roots, path);
    if (place === undefined) throw new Error(`No plugin root holds ${path}`);
    return act(place);
  }

  async function sweep(): Promise<void> {
    lookedAt = await identitiesOfRoots();
    const discovery = await options.look();
    await rewatch(discovery);
    const present = new Set(discovery.folders.map(({ place }) => pathOf(place)));
    for (const { place } of discovery.folders) if (!records.has(pathOf(place))) touch(place);
    for (const record of [...records.values()]) {
      if (signal.aborted) return;
      if (!present.has(record.path) || (await looksDifferent(record.place, record, files))) touch(record.place);
    }
  }

  /** Checks for replaced roots, because scans of many plugins are rare, and a watch does not report that its own folder was replaced. */
  async function isReplaced(): Promise<boolean> {
    return (await identitiesOfRoots()) !== lookedAt;
  }

  async function identitiesOfRoots(): Promise<string> {
    return (await Promise.all(roots.map(async (root) => (await identityOfRoot(files, root)) ?? "none"))).join();
  }

  /** Reopens watches of replaced folders: a watch stays with the folder it was opened on. */
  async function rewatch({ folders, roots: found }: Discovery): Promise<void> {
    for (const root of roots) if (rootsNow.get(root)?.identity !== found.get(root)?.identity) stale.add(root);
    rootsNow = found;
    links.clear();
    for (const { place, linkTarget } of folders) if (linkTarget !== undefined) links.set(pathOf(place), { place, linkTarget });
    await retarget();
  }

  async function retarget(): Promise<void> {
    const fresh = new Set(stale);
    stale.clear();
    if (signal.aborted) return;
    const present = new Map(Array.from(rootsNow, ([root, { realPath }]) => [root, { rootIndex: roots.indexOf(root), realPath }]));
    await watch.retarget(
      { roots: present, linked: new Map([...links.values()].map(({ place, linkTarget }) => [linkTarget, place])) },
      fresh,
    );
  }

  function onSeen(place: Place, before: Seen | undefined, now: Seen): void {
    // Reopened at the next scan, so that constant swaps do not keep the host busy.
    const isSwapped = before?.identity !== undefined && now.identity !== undefined && before.identity !== now.identity;
    if (isSwapped) stale.add(links.get(pathOf(place))?.linkTarget ?? place.root);
    if (now.linkTarget === undefined || now.linkTarget === links.get(pathOf(place))?.linkTarget) return;
    links.set(pathOf(place), { place, linkTarget: now.linkTarget });
    retarget().catch((defect: unknown) => onDefect(pathOf(place), defect));
  }

  return {
    async start() {
      // Also notices changes between the scan and the first watch.
      const start = clock.monotonic();
      await sweep();
      const costMs = clock.monotonic() - start;
      ended = reconcile({ clock, signal, look: sweep, costMs, isReplaced, onDefect: (defect) => onDefect(roots.join(", "), defect) });
    },
    onSeen,
    idle: settling.idle,
    async close() {
      await ended;
      await settling.idle();
      await watch.close();
    },
  };
}
