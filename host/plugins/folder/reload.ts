/**
 * The plugins of a host's plugin roots: discovered, loaded, and reloaded when their folders change (SPEC H1-H5, H9).
 *
 * Only complete versions that loaded can be called, whatever a folder holds and whenever it changes.
 */

import type { PermissionBases } from "../../../manifests/mod.ts";
import { createTurns, type Sandbox } from "../../../sandbox/mod.ts";
import { defectText } from "../../platform/error-text.ts";
import { FileError, type Log, type Platform } from "../../platform/platform.ts";
import type { ImageLease } from "../../routes/wasm.ts";
import { NO_LIMITS } from "../../policy/tool-limits.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import { createPluginActs, type PluginActs } from "./acts.ts";
import { loadBatch } from "./batch.ts";
import { isOlder, toCandidate } from "./compile.ts";
import { clashing } from "../consent/reason.ts";
import { compareText } from "../../primitives/digest.ts";
import { discover, type Discovery, pathOf, type Place } from "./discover.ts";
import { findChanges, type PlacedChange } from "./changes.ts";
import { createPluginImages } from "./images.ts";
import { createKeyedQueue } from "../../primitives/keyed-queue.ts";
import { folderError, quote } from "./problems.ts";
import { createPublication } from "./publication.ts";
import { type FolderState, readFolder } from "./read.ts";
import { createRecord, isKnownState, knownPlugins, manifestOf, type PluginRecord, seenNow, toStatus } from "./record.ts";
import type { AcceptedLimits } from "../../policy/tool-limits.ts";
import { type Believe, SETTLE_TIMING, type SettleTiming } from "./settle.ts";
import type { Gatekeeper, PluginChange, PluginEvent, PluginStatus, PluginSwitches, Publish } from "./status.ts";
import { createWatching, type Watching } from "./watching.ts";

export interface PluginDirectoryOptions {
  /** Absolute paths of plugin roots. Missing ones are created. */
  readonly roots: readonly string[];
  readonly platform: Pick<Platform, "files" | "guarded" | "clock" | "watcher" | "slices">;
  readonly sandbox: Pick<Sandbox, "load" | "unload">;
  readonly registry: Publish;
  /** Called in the tick of the change. */
  readonly emit: (event: PluginEvent) => void;
  readonly log: Log;
  /** Returns the base folders of a plugin's permission items; `directory` is the real path of its folder. */
  readonly bases: (plugin: string, directory: string) => PermissionBases;
  /** Other versions are loaded at their first call, which then reports load failures. Default: all. */
  readonly loadsAtOnce?: (version: PluginVersion) => boolean;
  /** Default: admits every version. */
  readonly gate?: Gatekeeper;
  /** Limits above the defaults that a version has while it loads. Default: those that the gate accepted. */
  readonly loadLimits?: AcceptedLimits;
  /** Default: as the manifests say. */
  readonly switches?: PluginSwitches;
  /** Maximum bytes that all plugins together may hold in memory. Default 1 GiB. */
  readonly maxBytes?: number;
  readonly timing?: SettleTiming;
}

/** Owned by the host; must be closed. */
export interface PluginDirectory extends PluginActs {
  /** Discovers and loads everything. Resolves when each plugin is loaded, disabled, failed or ignored. */
  scan(): Promise<readonly PluginStatus[]>;
  /** Returns the changes that a reload would process; loads nothing. */
  checkForChanges(): Promise<readonly PluginChange[]>;
  /**
   * Reloads every changed plugin.
   * @returns the number of plugins whose served version changed
   */
  reloadChanged(): Promise<number>;
  /** Applies changed settings of a plugin to its folder. */
  reconsider(plugin: string): Promise<void>;
  /** Reloads changed plugins from now on, until `close`. Resolves when watching has begun. */
  watch(): Promise<void>;
  /** One for each folder, by root and name. */
  status(): readonly PluginStatus[];
  /** Returns the real paths of the roots, and the links that lead to roots and plugins, which may lead elsewhere later. */
  places(): readonly string[];
  /** Notices about roots and watching for the user, one line each. */
  notices(): readonly string[];
  /** Leases the version for a call: wait for `ready`, and release it when the call has ended. */
  lease(version: PluginVersion): ImageLease;
  /** Resolves when every change noticed so far has been processed. */
  idle(): Promise<void>;
  /** Stops watching and withdraws every plugin. Pending loads are not awaited. */
  close(): Promise<void>;
}

const GIBIBYTE = 1024 ** 3;

/** Folders that were read are processed in the same turn of the event loop: more would block it when a thousand folders change at once. */
const READS_AT_ONCE = 8;

/** Attempts to read a folder that changes during each read. */
const READ_ATTEMPTS = 10;

/** @example See `createHost`, which owns one. */
export function createPluginDirectory(options: PluginDirectoryOptions): PluginDirectory {
  const { roots, log, gate = OPEN_GATE } = options;
  const { files, clock, watcher } = options.platform;
  const records = new Map<string, PluginRecord>();
  const images = createPluginImages(options.sandbox, {
    acceptedLimits: options.loadLimits ?? gate.acceptedLimits,
    ...(options.loadsAtOnce !== undefined && { loadsAtOnce: options.loadsAtOnce }),
  });
  const closing = new AbortController();
  const publication = createPublication(records, {
    ...{ images, registry: options.registry, emit: options.emit, log, bases: options.bases },
    switches: options.switches ?? AS_MANIFESTS_SAY,
    ...{ gate, maxBytes: options.maxBytes ?? GIBIBYTE, signal: closing.signal },
  });
  const queue = createKeyedQueue();
  const readInTurn = createTurns(READS_AT_ONCE);
  const created: string[] = [];
  let found: Discovery = { folders: [], roots: new Map(), links: [], notices: [] };
  let realPlaces: readonly string[] = [];
  let trouble: string | undefined;
  let firstScan: Promise<void> | undefined;
  let watching: Watching | undefined;

  /** Reads one folder and updates its record. Runs in the folder's lane. */
  async function take(place: Place, how: TakeOptions): Promise<"done" | "again"> {
    if (closing.signal.aborted) return "done";
    const record = recordAt(place);
    const { readMs, state } = await readInTurn(async () => ({
      readMs: clock.now(),
      state: await (how.believe === undefined ? readFirmly(place) : readFolder(options.platform, place)),
    }));
    if (state.kind === "changing") return "again";
    const seen = seenNow(state, readMs);
    watching?.onSeen(place, record.seen, seen);
    if (how.again !== true && isKnownState(record, state)) {
      record.seen = seen;
      return "done";
    }
    if (isDoubtful(state, record.serving) && (await how.believe?.(state.signature, "gone")) === false) return "again";
    const { serving } = record;
    const read = toCandidate(state, { serving, plugins: new Set() });
    const candidate = isOlder(read) ? toCandidate(state, { serving, plugins: new Set(knownPlugins(records).keys()) }) : read;
    let failure = await publication.advance(record, candidate);
    if (failure !== undefined && (await how.believe?.(state.signature, "failed")) === false) {
      publication.forgo(record);
      settleOthers();
      return "again";
    }
    // Its obstacle may be gone meanwhile: a name of another folder, a missing dependency.
    if (failure?.retry === "name" || failure?.retry === "dependencies") failure = await publication.advance(record, candidate);
    if (failure !== undefined) publication.fail(record, failure);
    record.seen = seen;
    settleOthers();
    return "done";
  }

  /** Retries other folders whose obstacle may be gone. */
  function settleOthers(): void {
    for (const other of publication.settle()) takeSoon(other.place, { again: true });
  }

  function takeSoon(place: Place, how: TakeOptions): void {
    queue.run(pathOf(place), () => take(place, how)).catch((defect: unknown) => onDefect(pathOf(place), defect));
  }

  function recordAt(place: Place): PluginRecord {
    const known = records.get(pathOf(place));
    if (known !== undefined) return known;
    const record = createRecord(place);
    records.set(record.path, record);
    return record;
  }

  /** Retries without waiting, because a pending read keeps a short-lived process alive. */
  async function readFirmly(place: Place): Promise<FolderState> {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const state = await readFolder(options.platform, place);
      if (state.kind !== "changing") return state;
    }
    return {
      kind: "refused",
      signature: "restless",
      problems: [folderError("Keeps changing while it is read", "wait until it has been written")],
    };
  }

  async function look(): Promise<Discovery> {
    const before = new Set(notices());
    found = await discover(files, roots);
    realPlaces = [...Array.from(found.roots.values(), ({ realPath }) => realPath), ...found.links];
    for (const notice of found.notices) if (!before.has(notice)) log.write("warn", notice);
    return found;
  }

  async function createRoots(): Promise<void> {
    for (const root of roots) {
      try {
        if ((await files.lstat(root)) !== undefined) continue;
        await files.makeDirectory(root);
        created.push(`Created plugin root ${quote(root)}`);
      } catch (error) {
        // `discover` reports it as missing or unreadable.
        if (!(error instanceof FileError)) throw error;
      }
    }
  }

  async function scanFirst(): Promise<void> {
    await createRoots();
    const { folders } = await look();
    const fresh = folders.map(({ place }) => recordAt(place));
    await loadBatch(fresh, {
      publication,
      async read(record) {
        // A brief process reads without a turn of the event loop; the sandbox needs turns to start meanwhile.
        if (files.isBrief) await options.platform.slices.run([].values());
        return await readFirmly(record.place);
      },
      now: clock.now,
      onDefect: (record, defect) => onDefect(record.path, defect),
    });
    settleOthers();
    await queue.idle();
  }

  async function scan(): Promise<readonly PluginStatus[]> {
    if (firstScan !== undefined) await reloadChanged();
    else await (firstScan = scanFirst());
    return status();
  }

  async function findAllChanges(): Promise<readonly PlacedChange[]> {
    await firstScan;
    const { folders } = await look();
    const places = folders.map(({ place }) => place);
    return findChanges(places, records, { files, read: readFirmly, now: clock.now });
  }

  async function reloadChanged(): Promise<number> {
    await firstScan;
    const before = new Map([...records].map(([path, record]) => [path, record.serving?.digest]));
    const places = new Map((await findAllChanges()).map(({ place }) => [pathOf(place), { place, again: false }]));
    // Failures with causes other than the bytes may succeed now.
    for (const { path, place, outcome } of records.values()) {
      if (outcome.kind === "quarantined" || (outcome.kind === "failed" && (outcome.retry === "load" || outcome.retry === "settings")))
        places.set(path, { place, again: true });
    }
    for (const { place, again } of places.values()) takeSoon(place, { again });
    await queue.idle();
    const paths = new Set([...before.keys(), ...records.keys()]);
    return [...paths].filter((path) => before.get(path) !== records.get(path)?.serving?.digest).length;
  }

  function status(): readonly PluginStatus[] {
    const sorted = [...records.values()].toSorted((a, b) => a.place.rootIndex - b.place.rootIndex || compareText(a.path, b.path));
    return sorted.flatMap((record) => withLimits(toStatus(record)) ?? []);
  }

  function withLimits(status: PluginStatus | undefined): PluginStatus | undefined {
    if (status?.manifest === undefined) return status;
    const { manifest, digest = "" } = status;
    const acceptedLimits = gate.acceptedLimits({ name: manifest.name, digest, manifest });
    return Object.keys(acceptedLimits).length === 0 ? status : { ...status, acceptedLimits };
  }

  function notices(): readonly string[] {
    return [...created, ...found.notices, ...(trouble === undefined ? [] : [trouble])];
  }

  function onTrouble(why: string): void {
    trouble = `Watching failed: ${why} (changes are found by polling, every few seconds)`;
    log.write("warn", trouble);
  }

  function onDefect(path: string, defect: unknown): void {
    log.write("error", "Cannot process a plugin folder", { path, error: defectText(defect) });
  }

  async function reconsider(plugin: string): Promise<void> {
    await firstScan;
    const named = [...records.values()].filter((record) => manifestOf(record)?.name === plugin);
    for (const { place } of named) takeSoon(place, { again: true });
    await queue.idle();
  }

  return {
    ...createPluginActs({ records, publication, images, queue, clock, settleOthers, take: (place) => take(place, { again: true }) }),
    scan,
    reconsider,
    checkForChanges: async () => (await findAllChanges()).flatMap(({ change }) => change ?? []),
    reloadChanged,
    status,
    places: () => realPlaces,
    notices,
    lease: images.lease,
    async watch() {
      if (watching !== undefined) return;
      watching = createWatching({
        ...{ roots, files, clock, watcher, log, look, records, onTrouble, onDefect },
        timing: options.timing ?? SETTLE_TIMING,
        signal: closing.signal,
        consider: (place, believe) => queue.run(pathOf(place), () => take(place, { believe })),
      });
      await firstScan;
      await watching.start();
    },
    async idle() {
      await watching?.idle();
      await queue.idle();
    },
    async close() {
      closing.abort();
      await firstScan;
      await watching?.close();
      await queue.idle();
      publication.withdrawAll();
    },
  };
}

interface TakeOptions {
  /** Retries known bytes, because their obstacle is gone. */
  readonly again?: boolean;
  /** If absent, every state counts at once. */
  readonly believe?: Believe;
}

/** Returns whether a state is probably temporary: nothing there, or a file that was emptied and is about to be written. */
function isDoubtful(state: FolderState, serving: PluginVersion | undefined): boolean {
  if (state.kind !== "read") return state.kind !== "refused";
  return [...state.files].some(([path, bytes]) => bytes.length === 0 && (serving?.files.get(path)?.length ?? 0) > 0);
}

const AS_MANIFESTS_SAY: PluginSwitches = {
  problemsOf: () => [],
  isEnabled: ({ enabled }) => enabled,
  disabledTool: () => undefined,
};

/** Admits everything but look-alikes, with nothing above the default limits. */
export const OPEN_GATE: Gatekeeper = {
  acceptedLimits: () => NO_LIMITS,
  admit: (_version, _path, clashes) =>
    Promise.resolve(clashes.length === 0 ? { kind: "admit" } : { kind: "quarantine", ...clashing(clashes) }),
  standing: () => ({ known: false, holds: new Set() }),
  nameOf: () => undefined,
  served: () => undefined,
  lastGood: () => Promise.resolve(undefined),
};
