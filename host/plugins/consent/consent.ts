/**
 * Decides which plugin versions may be loaded, based on what the user accepted before (SPEC H6, H7).
 *
 * Consent covers a declaration: what a plugin requests and what others see of it. A new version with the same or a smaller declaration replaces the
 * old one; any other version is quarantined until the user accepts exactly these bytes.
 */

import { type LimitRequest, type PermissionBases, type Permissions, raisedLimits } from "../../../manifests/mod.ts";
import { errorText } from "../../platform/error-text.ts";
import { createMutex } from "../../platform/mutex.ts";
import type { Platform } from "../../platform/platform.ts";
import { NO_LIMITS } from "../../policy/tool-limits.ts";
import { defined } from "../../primitives/defined.ts";
import { createVersion, toCandidate } from "../folder/compile.ts";
import type { FolderSnapshot } from "../folder/read.ts";
import type { Admission, Gatekeeper, KeptVersion } from "../folder/status.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import type { ProjectTrust } from "../../project/trust/project-trust.ts";
import { asks, type ConsentChange, type ConsentMode, type NameClash } from "./change.ts";
import { areAllShown, compareVersions, inOrder } from "./changes.ts";
import { type DraftEntry, isSame, keptLimits, newsIn, portable, relative, type Served } from "./entry.ts";
import { changedFiles, completed, frozenProblems, hashFiles } from "./frozen.ts";
import { createGivenLimits } from "./given-limits.ts";
import type { Lock } from "./lock.ts";
import type { LockEntry, PluginOrigin } from "./lock-text.ts";
import { heldNames, nameEntries, type NamesNow, toolNames } from "./lock-names.ts";
import { allOf, clashing, quarantineReason } from "./reason.ts";
import { declaredBy } from "./declared.ts";
import type { Versions } from "./versions.ts";

export interface ConsentOptions {
  readonly platform: Pick<Platform, "clock" | "log" | "slices">;
  readonly lock: Lock;
  /** Absent if no versions are kept. */
  readonly versions?: Versions;
  readonly mode: ConsentMode;
  /** True if loaded versions are written to the lock and kept. Otherwise only versions that the user decided on are. */
  readonly keep: boolean;
  /** True if only versions that match the lock may run. */
  readonly frozen: boolean;
  /** Returns true if the user trusts the plugin by name alone to run natively. */
  readonly isTrusted: (plugin: string) => boolean;
  /** Trust given on this machine; absent if the lock itself is trusted. */
  readonly trust?: Pick<ProjectTrust, "isAgreed" | "replace">;
  /** Real path of the lock's folder. */
  readonly root: string;
  readonly grantsOf: (plugin: string, directory: string) => Permissions;
  readonly bases: (plugin: string, directory: string) => PermissionBases;
  /** The plugin that has each name now. Absent if names are not reserved. */
  readonly names?: NamesNow;
  /** Called after a plugin was forgotten, which frees its names. */
  readonly onForgotten?: () => void;
}

/** Fields of a lock entry besides the version itself. */
interface EntryExtras {
  readonly origin?: PluginOrigin;
  readonly rolledBackFrom?: string;
  /** True if the user was shown the requested limits and accepted them. */
  readonly acceptsLimits?: boolean;
}

export interface Consent extends Gatekeeper {
  /** The lock that stores consent; a frozen host does not write it. */
  readonly lock: Lock;
  readonly frozen: boolean;
  /** Admits exactly these bytes until the returned function is called. */
  approve(plugin: string, digest: string, signer: string | undefined): () => void;
  /** Writes the user's decision to the lock and keeps the version's bytes. @throws {LockFileError} if the lock cannot be written. */
  remember(version: PluginVersion, path: string, extras?: EntryExtras): Promise<void>;
  /** Returns the last version before this one that is still kept. */
  previous(version: PluginVersion): Promise<KeptVersion | undefined>;
  /** Returns the plugin's entry in the lock; undefined if it is not written yet. */
  entry(plugin: string): LockEntry | undefined;
  /** Removes the plugin, its kept versions and its accepted limits from all records. */
  forget(plugin: string): Promise<void>;
  /** Returns the bare names reserved by each plugin until it is forgotten, even while its folder or the tool is missing. */
  keptNames(): ReadonlyMap<string, ReadonlySet<string>>;
  /** Call when tools were added or removed, because bare names may have changed owners. */
  noteNames(): void;
  /** Call when a plugin's grants have changed. */
  noteGrants(plugin: string, directory: string): Promise<void>;
  /** Reads the lock again. A deleted lock counts as empty. A broken one is logged once, and the entries read before stay in force. */
  refresh(): Promise<void>;
  /** Why the lock in memory differs from the file. */
  notices(): string | readonly string[];
  /** Writes pending entries. */
  flush(): Promise<void>;
}

/** Delay of writes, so that reloading does not wait for the disk and a burst of edits is written once. */
const WRITE_DELAY_MS = 500;

export function createConsent(options: ConsentOptions): Consent {
  const { lock, versions, mode, frozen, root, platform } = options;
  /** Loaded versions that are not in the lock (yet). */
  const unwritten = new Map<string, Served>();
  const approvals = new Map<string, Approval>();
  const given = createGivenLimits(options.trust);
  let pending = new Map<string, Pending>();
  let cancelWrite: (() => void) | undefined;
  const inTurn = createMutex();
  let namesChanged = false;
  let refusedLock: string | undefined;

  function baseOf(name: string, path: string): Served | LockEntry | undefined {
    const own = unwritten.get(name) ?? lock.entries().get(name);
    if (own !== undefined) return own;
    // A folder whose plugin changed its name is compared with its previous version.
    const here = relative(path, root);
    const locked = [...lock.entries().values()].filter(({ name: known }) => !unwritten.has(known));
    return [...unwritten.values(), ...locked].find((known) => known.path === here);
  }

  function isKnown(name: string, path: string, directory: string): boolean {
    const entry = unwritten.get(name) ?? lock.entries().get(name);
    return (entry !== undefined && entry.path === relative(path, root)) || Object.keys(options.grantsOf(name, directory)).length > 0;
  }

  /** Returns the clashing names that the user has not seen yet. */
  function newClashes(version: PluginVersion, path: string, clashes: readonly NameClash[]): readonly NameClash[] {
    if (clashes.length === 0 || !isKnown(version.name, path, version.directory)) return clashes;
    const tools = (unwritten.get(version.name) ?? lock.entries().get(version.name))?.declared.tools;
    return clashes.filter(({ of, name }) => of === "tool" && tools !== undefined && !toolNames(tools).has(name));
  }

  async function admit(version: PluginVersion, path: string, clashes: readonly NameClash[]): Promise<Admission> {
    if (frozen) {
      const problems = await frozenProblems(lock.entries().get(version.name), version);
      return problems.length === 0 ? { kind: "admit" } : { kind: "refuse", problems };
    }
    const approval = approvals.get(version.name);
    const isApproved = approval?.digest === version.digest && approval.signer === version.signedBy?.signer;
    const verdict = await judge(version, path, clashes);
    if (verdict.kind !== "quarantine") return verdict;
    // Changes that were not shown are not accepted, even if the hash matches.
    if (isApproved && areAllShown(verdict.changes)) return { kind: "admit", changes: verdict.changes, consent: "person" };
    // New files may have come together with a new lock, so read it again.
    await refresh();
    return await judge(version, path, clashes);
  }

  async function judge(version: PluginVersion, path: string, clashes: readonly NameClash[]): Promise<Admission> {
    const fresh = newClashes(version, path, clashes);
    const verdict = await judgeVersion(version, path, fresh.length > 0);
    if (fresh.length === 0 || verdict.kind === "refuse") return verdict;
    const clash = clashing(fresh);
    // The other changes are accepted together with the name, so they are shown with it.
    return { kind: "quarantine", reason: clash.reason, changes: inOrder([...clash.changes, ...(verdict.changes ?? [])]) };
  }

  /** @param isWhole true if a version seen for the first time counts as entirely new */
  async function judgeVersion(version: PluginVersion, path: string, isWhole: boolean): Promise<Admission> {
    const base = baseOf(version.name, path);
    if (base === undefined && isWhole) return { kind: "admit", changes: allOf(version.manifest) };
    const signer = version.signedBy?.signer;
    const locked = lock.entries().get(version.name);
    if (base === undefined || isSame(base, version)) return { kind: "admit" };
    if (locked !== undefined && isSame(locked, version)) return { kind: "admit" };
    const after = { name: version.name, declared: declaredBy(version.manifest), signer };
    const before = await completed(base, version, after.declared);
    const changes = inOrder([...compareVersions({ ...base, declared: before }, after), ...(await boundFiles(base, version))]);
    if (base.rolledBackFrom === version.digest) {
      return { kind: "quarantine", reason: `The user rolled back from it to version ${base.version}`, changes };
    }
    const asked = changes.filter((change) => asks(change, mode));
    if (asked.length > 0) return { kind: "quarantine", reason: quarantineReason(asked), changes };
    return { kind: "admit", changes: changes.filter((change) => asks(change, "strict")), consent: "notice" };
  }

  /**
   * An installed plugin is bound to its bytes: other bytes need consent (SPEC C3). The same holds for a plugin trusted to run natively,
   * except in `fluent` mode: no sandbox confines it (SPEC O1).
   */
  async function boundFiles(base: Served | LockEntry, version: PluginVersion): Promise<readonly ConsentChange[]> {
    if (base.origin.kind === "folder" && (mode === "fluent" || !options.isTrusted(version.name))) return [];
    const known = "files" in base ? base : lock.entries().get(base.name);
    return await changedFiles(known ?? { files: new Map() }, version.files);
  }

  function served(version: PluginVersion, path: string): void {
    const base = baseOf(version.name, path);
    const origin = base?.origin ?? { kind: "folder" };
    const extras =
      base !== undefined && isSame(base, version) && base.rolledBackFrom !== undefined ? { rolledBackFrom: base.rolledBackFrom } : {};
    const renamedFrom = base !== undefined && base.name !== version.name ? base : undefined;
    // The entry of the old name stays: a plugin that uses the name again is compared with what was accepted under it.
    if (renamedFrom !== undefined) unwritten.set(renamedFrom.name, { ...renamedFrom, path: "" });
    note(version, path, { origin, ...extras });
    if (!options.keep) return;
    pending.set(version.name, { version, path, origin, ...extras, ...(renamedFrom !== undefined && { renamedFrom: renamedFrom.name }) });
    cancelWrite ??= platform.clock.after(WRITE_DELAY_MS, () => void flush());
  }

  function note(version: PluginVersion, path: string, extras: Extras): void {
    const { name, digest, manifest, signedBy } = version;
    const { origin, rolledBackFrom } = extras;
    const now = { name, digest, path: relative(path, root) };
    const acceptedLimits = keptLimits(unwritten.get(name) ?? lock.entries().get(name), now);
    unwritten.set(name, {
      ...{ ...now, version: manifest.version, origin, declared: declaredBy(manifest), acceptedLimits },
      ...defined({ signer: signedBy?.signer, rolledBackFrom }),
    });
  }

  /** Writes one batch after the other; logs each failed batch once. */
  function flush(): Promise<void> {
    cancelWrite?.();
    cancelWrite = undefined;
    const batch = pending;
    pending = new Map();
    const isNamesOnly = batch.size === 0 && namesChanged;
    namesChanged = false;
    return inTurn(async () => {
      try {
        if (batch.size > 0 || isNamesOnly) await write([...batch.values()]);
      } catch (error) {
        platform.log.write("error", "Cannot write bascule.lock", { error: errorText(error) });
      }
    });
  }

  async function write(batch: readonly Pending[]): Promise<void> {
    const entries = new Map<string, DraftEntry>();
    for (const one of batch) entries.set(one.version.name, await entryOf(one));
    await lock.change(async (before) => {
      // Uses the entries in the file now: another process may have written the user's consent.
      const named = nameEntries(before, options.names);
      const kept = [...entries.values()].map((entry) => withLimits(entry, before.get(entry.name)));
      // Loading or removing a plugin may change which plugin owns a bare name.
      const others = options.keep ? [...before.values()].filter(({ name }) => !entries.has(name)) : [];
      const edits = await platform.slices.run(newsIn(before, [...kept, ...others], named));
      for (const { renamedFrom = "", path } of batch) {
        const old = edits.get(renamedFrom) ?? before.get(renamedFrom);
        if (old?.path === relative(path, root)) edits.set(renamedFrom, { ...old, path: "" });
      }
      return edits;
    });
    for (const { version } of batch) {
      if (unwritten.get(version.name)?.digest === version.digest) unwritten.delete(version.name);
      await versions?.save(version);
    }
  }

  /** Without new consent, keeps the limits of the previous entry. */
  const withLimits = ({ acceptedLimits, ...entry }: DraftEntry, before: LockEntry | undefined): LockEntry => ({
    ...entry,
    acceptedLimits: acceptedLimits ?? keptLimits(before, entry),
  });

  async function entryOf({ version, path, origin, rolledBackFrom, acceptsLimits }: Pending): Promise<DraftEntry> {
    const { name, manifest, digest, signedBy, files, directory } = version;
    return {
      ...{ name, version: manifest.version, path: relative(path, root), digest, origin },
      ...defined({ signer: signedBy?.signer, rolledBackFrom }),
      granted: lock.entries().get(name)?.granted ?? portable(options.grantsOf(name, directory), root),
      declared: declaredBy(manifest),
      ...(acceptsLimits === true && { acceptedLimits: raisedLimits(manifest) }),
      files: await hashFiles(files),
    };
  }

  async function refresh(): Promise<void> {
    try {
      await lock.refresh();
      refusedLock = undefined;
      await given.refresh(lock.entries());
    } catch (error) {
      const notice = `bascule.lock has errors; the last good entries stay in force: ${errorText(error)}`;
      if (refusedLock !== notice) platform.log.write("error", notice);
      refusedLock = notice;
    }
  }

  function toKept(snapshot: FolderSnapshot | undefined, directory: string): KeptVersion | undefined {
    const candidate = snapshot && toCandidate(snapshot, { plugins: new Set() });
    if (candidate?.kind !== "ready") return undefined;
    const { manifest, snapshot: kept } = candidate;
    // Uses the plugin's folder, because grants, `$plugin` and write protection refer to it.
    const version = createVersion({ ...kept, directory }, manifest, options.bases(manifest.name, directory));
    return { version, bytes: kept.bytes };
  }

  return {
    lock,
    frozen,
    admit,
    standing(name, path, directory) {
      // Includes a folder whose plugin has another name now.
      const locked = lock.entries().get(name) ?? [...lock.entries().values()].find((known) => known.path === relative(path, root));
      const isHere = locked?.path === relative(path, root);
      return {
        known: approvals.has(name) || isKnown(name, path, directory),
        holds: isHere && locked !== undefined ? heldNames(locked) : new Set(),
      };
    },
    nameOf(plugin, path, digest) {
      if (approvals.get(plugin)?.digest === digest) return "accepting";
      return (unwritten.get(plugin) ?? lock.entries().get(plugin))?.path === relative(path, root) ? "locked" : undefined;
    },
    notices: () => refusedLock ?? [],
    keptNames() {
      // A folder whose plugin changed its name may not be written yet.
      const here = [...lock.entries().values()].filter(({ name }) => unwritten.get(name)?.path !== "");
      return new Map(here.map((entry) => [entry.name, heldNames(entry)]));
    },
    noteNames() {
      if (!options.keep || lock.entries().size + pending.size === 0) return;
      namesChanged = true;
      cancelWrite ??= platform.clock.after(WRITE_DELAY_MS, () => void flush());
    },
    served,
    acceptedLimits({ name, digest, manifest }) {
      const approval = approvals.get(name);
      if (approval?.digest === digest) return (approval.limits ??= raisedLimits(manifest));
      return given.of(name, (unwritten.get(name) ?? lock.entries().get(name))?.acceptedLimits ?? NO_LIMITS);
    },
    async lastGood(version, path) {
      const base = baseOf(version.name, path);
      if (base === undefined || frozen) return undefined;
      await flush();
      return toKept(await versions?.read(base.name, base.digest), version.directory);
    },
    approve(plugin, digest, signer) {
      const approval: Approval = { digest, signer };
      approvals.set(plugin, approval);
      return () => {
        if (approvals.get(plugin) === approval) approvals.delete(plugin);
      };
    },
    async remember(version, path, extras = {}) {
      await flush();
      const origin = extras.origin ?? lock.entries().get(version.name)?.origin ?? { kind: "folder" };
      const { rolledBackFrom, acceptsLimits = false } = extras;
      // Also without `keep`: later versions are compared with this one.
      unwritten.delete(version.name);
      // A version that the user rolled back from is no longer a good one.
      if (rolledBackFrom !== undefined) await versions?.dropNewer(version.name, version.digest);
      const note = (): Promise<void> =>
        write([{ version, path, origin, acceptsLimits, ...(rolledBackFrom !== undefined && { rolledBackFrom }) }]);
      await (acceptsLimits ? given.give(version.name, raisedLimits(version.manifest), note) : note());
    },
    async previous(version) {
      await flush();
      const notes = (await versions?.list(version.name)) ?? [];
      const older = notes.slice(notes.findIndex(({ digest }) => digest === version.digest) + 1);
      for (const { digest } of older) {
        if (digest === version.digest) continue;
        const kept = toKept(await versions?.read(version.name, digest), version.directory);
        if (kept?.version.name === version.name) return kept;
      }
      return undefined;
    },
    entry: (plugin) => lock.entries().get(plugin),
    async forget(plugin) {
      pending.delete(plugin);
      await flush();
      unwritten.delete(plugin);
      await given.give(plugin, NO_LIMITS, () => lock.change(() => new Map([[plugin, undefined]])));
      await versions?.forget(plugin);
      options.onForgotten?.();
    },
    async noteGrants(plugin, directory) {
      await flush();
      const granted = portable(options.grantsOf(plugin, directory), root);
      await lock.change((before) => {
        const entry = before.get(plugin);
        return new Map(entry === undefined ? [] : [[plugin, { ...entry, granted }]]);
      });
    },
    refresh,
    flush,
  };
}

interface Extras extends EntryExtras {
  readonly origin: PluginOrigin;
}

interface Pending extends Extras {
  /** The plugin's previous name. */
  readonly renamedFrom?: string;
  readonly version: PluginVersion;
  readonly path: string;
}

interface Approval {
  readonly digest: string;
  readonly signer: string | undefined;
  /** Limits of the approved bytes. They apply before the version loads, which may need them. */
  limits?: LimitRequest;
}
