/**
 * Takes versions into and out of service: name, dependencies, image, admission, and then one swap (SPEC H4).
 *
 * Every step before the swap leaves the served version alone, also if it fails (SPEC H5).
 */

import type { NameClash } from "../consent/change.ts";
import {
  callablesOf,
  DEFAULT_LIMITS,
  limitText,
  type Manifest,
  type PermissionBases,
  type Problem,
  raisedLimits,
} from "../../../manifests/mod.ts";
import type { LoadFault, LoadOutcome } from "../../../sandbox/mod.ts";
import type { Log } from "../../platform/platform.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import { untilAborted } from "../../primitives/until-aborted.ts";
import { createAnnouncements } from "./announce.ts";
import { createNameClaims, namesake, ofProgram } from "./claims.ts";
import { type Candidate, type CandidateVersion, createVersion } from "./compile.ts";
import { checkDependencies } from "./dependencies.ts";
import type { PluginImages } from "./images.ts";
import { folderError } from "./problems.ts";
import { createPublishing } from "./publishing.ts";
import {
  bytesHeld,
  heldBy,
  type Failure,
  listKnownOnce,
  loadFailure,
  type Outcome,
  type PluginRecord,
  reasonOf,
  refusal,
  settingsFailure,
  toWarning,
} from "./record.ts";
import type { Admission, Admitted, Gatekeeper, HeldVersion, KeptVersion, PluginEvent, PluginSwitches, Publish } from "./status.ts";

interface PublicationOptions {
  readonly images: PluginImages;
  readonly registry: Publish;
  readonly emit: (event: PluginEvent) => void;
  readonly log: Log;
  readonly gate: Gatekeeper;
  readonly switches: PluginSwitches;
  /** Returns the base folders of a plugin's permission items. */
  readonly bases: (plugin: string, directory: string) => PermissionBases;
  /** Maximum bytes that all plugins together may hold in memory. */
  readonly maxBytes: number;
  /** Aborted at the end: no version is taken into service any more, and pending loads are not awaited. */
  readonly signal: AbortSignal;
}

/** Why the folder's version is set aside, and its changes against the version that serves in its place. */
export interface Replacing {
  readonly reason: string;
  readonly newIn: (manifest: Manifest, signer: string | undefined) => HeldVersion["changes"];
}

export interface Publication {
  /** Claims the plugin's name, and room for its bytes; first come first served. `advance` does so too. */
  claim(record: PluginRecord, candidate: Candidate): Candidate;
  /**
   * Returns a rank above 0 if the candidate's plugin served from this folder before: it claims before newcomers, and a locked name before
   * all.
   */
  rankOf(record: PluginRecord, candidate: Candidate): number;
  /** Takes the candidate into service. A failure is returned and not yet shown: see `fail`. */
  advance(record: PluginRecord, candidate: Candidate): Promise<Failure | undefined>;
  /** Takes a kept version into service and sets the folder's version aside. A failure is returned, and changes nothing. */
  replace(record: PluginRecord, kept: KeptVersion, why: Replacing): Promise<Failure | undefined>;
  /** Shows a failure. The served version stays in service. */
  fail(record: PluginRecord, failure: Failure): void;
  /** Drops a failure that `advance` returned and that is not to be shown, and the name that was claimed for it. */
  forgo(record: PluginRecord): void;
  /**
   * Takes versions with a lost dependency out of service.
   *
   * @returns records to retry, because their obstacle (a taken name, a dependency) is gone
   */
  settle(): readonly PluginRecord[];
  /** Withdraws everything, without events. */
  withdrawAll(): void;
}

/** @param records all records, by path; the record of a removed folder is deleted */
export function createPublication(records: Map<string, PluginRecord>, options: PublicationOptions): Publication {
  const { images, switches } = options;
  const announce = createAnnouncements(options.emit);
  const claims = createNameClaims();
  const { publish, publishUnavailable, unpublish, turnedOff } = createPublishing({
    registry: options.registry,
    switches,
    standing: options.gate.standing,
    images,
    announce,
  });

  function rankOf({ path }: PluginRecord, candidate: Candidate): number {
    if (candidate.kind !== "ready") return 0;
    const { manifest, snapshot } = candidate;
    if (options.gate.nameOf(manifest.name, path, snapshot.digest) !== undefined) return 2;
    return Number(options.gate.standing(manifest.name, path, snapshot.directory).known);
  }

  function claim(record: PluginRecord, candidate: Candidate): Candidate {
    if (candidate.kind !== "ready") return candidate;
    const { manifest, snapshot } = candidate;
    if (options.registry.isProgram?.(manifest.name) === true)
      return { kind: "failed", failure: refusal([ofProgram(manifest.name)], { manifest, retry: "name" }) };
    if (options.gate.nameOf(manifest.name, record.path, snapshot.digest) === "accepting") claims.take(record, manifest);
    const taken = claims.claim(record, manifest);
    if (taken !== undefined) {
      const held = namesake(candidate, taken.whose);
      return { kind: "failed", failure: refusal([taken.problem], { manifest, retry: "name", held }) };
    }
    if (bytesHeld(records) - (record.pending?.bytes ?? 0) + snapshot.bytes > options.maxBytes) {
      return { kind: "failed", failure: refusal([tooMuch()], { manifest, retry: "load" }) };
    }
    record.pending = { manifest, bytes: snapshot.bytes };
    return candidate;
  }

  async function advance(record: PluginRecord, candidate: Candidate): Promise<Failure | undefined> {
    const claimed = claim(record, candidate);
    if (claimed.kind === "failed") return claimed.failure;
    if (claimed.kind === "gone") remove(record);
    if (claimed.kind === "ignored") stopServing(record, { kind: "ignored", reason: claimed.reason });
    if (claimed.kind !== "ready") return undefined;
    try {
      return await load(record, claimed);
    } finally {
      delete record.pending;
    }
  }

  async function load(record: PluginRecord, { snapshot, manifest, warnings }: CandidateVersion): Promise<Failure | undefined> {
    const previous = record.serving;
    const misset = switches.problemsOf(manifest);
    if (misset.length > 0) return settingsFailure(manifest, misset);
    if (!switches.isEnabled(manifest)) {
      stopServing(record, { kind: "disabled", by: manifest.enabled ? "settings" : "manifest", manifest, warnings });
      return undefined;
    }
    if (previous?.digest === snapshot.digest && previous.signedBy?.signer === snapshot.signedBy?.signer) {
      restore(record, previous, warnings);
      return undefined;
    }
    const blocked = dependencyFailure(manifest);
    if (blocked !== undefined) return blocked;

    const version = createVersion(snapshot, manifest, options.bases(manifest.name, snapshot.directory));
    const outcome = await hold(version);
    if (outcome === undefined) return undefined;
    if (!outcome.ok) return await afterFault(record, version, outcome.fault);

    const admission = await options.gate.admit(version, record.path, clashesOf(record, manifest));
    // Other plugins may have changed while it was loading.
    const refused = refusedBy(admission, manifest);
    if (admission.kind === "admit" && refused === undefined) {
      const frozen = (outcome.warnings ?? []).map(toWarning);
      swap(record, version, { bytes: snapshot.bytes, warnings: [...warnings, ...frozen], admission });
      return undefined;
    }
    images.release(version.digest);
    if (admission.kind === "quarantine" && refused === undefined) await quarantine(record, version, admission);
    return refused;
  }

  /** Handles a load that failed at a limit: the version may request more, which needs the user's acceptance. */
  async function afterFault(record: PluginRecord, version: PluginVersion, fault: LoadFault): Promise<Failure | undefined> {
    const { manifest } = version;
    const [asked, accepted] = [raisedLimits(manifest), options.gate.acceptedLimits(version)];
    const short = LIMITS_OF_LOADS.filter((limit) => (asked[limit] ?? 0) > Math.max(accepted[limit] ?? 0, DEFAULT_LIMITS[limit]));
    if (fault.kind !== "limit" || short.length === 0) return loadFailure(manifest, fault);
    const admission = await options.gate.admit(version, record.path, clashesOf(record, manifest));
    if (admission.kind !== "quarantine") {
      const hint = `its manifest asks for ${short.map((limit) => `${limit} ${limitText(limit, asked[limit] ?? 0)}`).join(", ")}; to allow it: bascule accept ${manifest.name}`;
      return loadFailure(manifest, { ...fault, message: `${fault.message} (${hint})` });
    }
    await quarantine(record, version, admission);
    return undefined;
  }

  function clashesOf(record: PluginRecord, manifest: Manifest): readonly NameClash[] {
    const others = callablesOf(manifest).flatMap(({ name }): readonly NameClash[] => {
      const other = options.registry.lookAlike?.(name);
      return other === undefined ? [] : [{ of: "tool", name, other: other.name, whose: other.owner }];
    });
    return [...claims.lookAlikes(record, manifest), ...others];
  }

  function refusedBy(admission: Admission, manifest: Manifest): Failure | undefined {
    return admission.kind === "refuse" ? refusal(admission.problems, { manifest }) : dependencyFailure(manifest);
  }

  /** Returns undefined if the signal fires first; the image is then released as soon as it has loaded. */
  async function hold(version: PluginVersion): Promise<LoadOutcome | undefined> {
    if (options.signal.aborted) return undefined;
    try {
      const loading = images.hold(version);
      const outcome = await untilAborted(loading, options.signal);
      if (outcome === undefined) void loading.then(({ ok }) => ok && images.release(version.digest)).catch(() => undefined);
      return outcome;
    } catch (defect) {
      options.log.write("error", "The sandbox failed to load a plugin", {
        plugin: version.name,
        digest: version.digest,
        error: String(defect),
      });
      return { ok: false, fault: { kind: "trap", message: "The sandbox failed; the log says why" } };
    }
  }

  /** Switches from one version to the next in one tick: registry, image, event (SPEC H8). */
  function swap(
    record: PluginRecord,
    version: PluginVersion,
    more: { readonly bytes: number; readonly warnings: readonly Problem[]; readonly admission: Admitted },
  ): void {
    const previous = serve(record, { version, bytes: more.bytes });
    record.outcome = { kind: "loaded", warnings: more.warnings };
    claims.keep(record, [version.name]);
    options.gate.served(version, record.path);
    announce.serving(record, version, previous, more.admission);
  }

  /** @returns the previously served version */
  function serve(record: PluginRecord, { version, bytes }: KeptVersion): PluginVersion | undefined {
    const previous = record.serving;
    publish(record, version.manifest, { kind: "plugin", version });
    record.serving = version;
    record.servingBytes = bytes;
    if (previous !== undefined) images.release(previous.digest);
    return previous;
  }

  /** Handles a folder that holds the served version again. */
  function restore(record: PluginRecord, version: PluginVersion, warnings: readonly Problem[]): void {
    if (turnedOff(version.manifest).join() !== record.turnedOff?.join()) publish(record, version.manifest, { kind: "plugin", version });
    if (record.outcome.kind === "loaded") return;
    record.outcome = { kind: "loaded", warnings };
    claims.keep(record, [version.name]);
    announce.serving(record, version, version);
  }

  function fail(record: PluginRecord, failure: Failure): void {
    const before = record.outcome;
    record.outcome = failure;
    keepNames(record);
    if (record.serving === undefined) publishUnavailable(record, failure.retry === "name" ? undefined : failure.manifest);
    if (before.kind === "failed" && reasonOf(before) === reasonOf(failure) && before.held?.digest === failure.held?.digest) return;
    if (failure.held === undefined) announce.failed(record, failure);
    else announce.quarantined(record, failure.held, reasonOf(failure) ?? failure.error.message);
  }

  /** Keeps the name while the folder claims it, so that another folder cannot take it by making this one fail. */
  function keepNames(record: PluginRecord): void {
    const { serving, outcome } = record;
    const isNamesake = outcome.kind === "failed" && outcome.retry === "name";
    const said = "manifest" in outcome && !isNamesake ? outcome.manifest?.name : undefined;
    claims.keep(
      record,
      [serving?.name, said].filter((name) => name !== undefined),
    );
  }

  async function quarantine(record: PluginRecord, version: PluginVersion, why: Extract<Admission, { kind: "quarantine" }>): Promise<void> {
    const { manifest, digest, signedBy } = version;
    const { reason, changes } = why;
    const held: HeldVersion = {
      name: version.name,
      version: manifest.version,
      digest,
      ...(signedBy && { signer: signedBy.signer }),
      changes,
    };
    const before = record.outcome;
    if (record.serving === undefined) await serveLastGood(record, version);
    record.outcome = { kind: "quarantined", manifest, reason, held };
    keepNames(record);
    if (record.serving === undefined) publishUnavailable(record, manifest);
    const isNews = before.kind !== "quarantined" || before.held.digest !== digest || before.held.signer !== held.signer;
    if (isNews) announce.quarantined(record, held, reason);
  }

  /** At startup no version serves yet, so the accepted version does, if its bytes were kept. */
  async function serveLastGood(record: PluginRecord, version: PluginVersion): Promise<void> {
    const kept = await options.gate.lastGood(version, record.path);
    if (kept === undefined || !isWanted(kept.version.manifest) || claims.claim(record, kept.version.manifest) !== undefined) return;
    const outcome = await hold(kept.version);
    if (outcome?.ok !== true) return;
    if (dependencyFailure(kept.version.manifest) !== undefined) return images.release(kept.version.digest);
    serve(record, kept);
    announce.serving(record, kept.version, undefined);
  }

  function isWanted(manifest: Manifest): boolean {
    return switches.isEnabled(manifest) && switches.problemsOf(manifest).length === 0;
  }

  async function replace(record: PluginRecord, kept: KeptVersion, { reason, newIn }: Replacing): Promise<Failure | undefined> {
    const { version } = kept;
    const misset = switches.problemsOf(version.manifest);
    if (misset.length > 0) return settingsFailure(version.manifest, misset);
    const outcome = await hold(version);
    if (outcome?.ok === false) return loadFailure(version.manifest, outcome.fault);
    const blocked = outcome === undefined ? refusal([]) : dependencyFailure(version.manifest);
    if (blocked !== undefined) {
      if (outcome !== undefined) images.release(version.digest);
      return blocked;
    }
    const previous = serve(record, kept);
    const aside = heldBy(record, previous);
    if (aside !== undefined) {
      const { manifest } = aside;
      // Accepting it replaces this version, so it is compared with this version.
      const held = { ...aside.held, changes: newIn(manifest, aside.held.signer) };
      record.outcome = { kind: "quarantined", manifest, reason, held };
    }
    keepNames(record);
    announce.serving(record, version, previous);
    return undefined;
  }

  /** Takes the served version, if any, out of service, because of the folder's own state. */
  function stopServing(record: PluginRecord, outcome: Extract<Outcome, { readonly kind: "disabled" | "ignored" }>): void {
    const previous = record.serving;
    const shown = outcome.kind === "disabled" ? outcome.manifest : undefined;
    delete record.serving;
    record.outcome = outcome;
    publishUnavailable(record, shown);
    claims.keep(record, shown === undefined ? [] : [shown.name]);
    if (previous === undefined) return;
    images.release(previous.digest);
    announce.removed(record, previous, outcome.kind === "disabled" ? "disabled" : "removed");
  }

  function remove(record: PluginRecord): void {
    // Also announced for a plugin that did not serve, because clients have shown it.
    const wasShown = record.serving === undefined && record.outcome.kind !== "new" && record.outcome.kind !== "ignored";
    if (wasShown) announce.removed(record, undefined, "removed");
    stopServing(record, { kind: "ignored", reason: "Its folder was removed" });
    records.delete(record.path);
  }

  function settle(): readonly PluginRecord[] {
    while (withdrawBlocked());
    const known = listKnownOnce(records);
    return [...records.values()].filter((record) => {
      const { outcome } = record;
      if (outcome.kind === "quarantined" && outcome.held.changes.some(({ kind }) => kind === "clash"))
        return clashesOf(record, outcome.manifest).length === 0;
      if (outcome.kind !== "failed" || outcome.manifest === undefined) return false;
      if (outcome.retry === "name") return claims.isFree(record, outcome.manifest.name);
      return outcome.retry === "dependencies" && dependencyFailure(outcome.manifest, known) === undefined;
    });
  }

  function withdrawBlocked(): boolean {
    const known = listKnownOnce(records);
    for (const record of records.values()) {
      const blocked = record.serving === undefined ? undefined : dependencyFailure(record.serving.manifest, known);
      if (record.serving === undefined || blocked === undefined) continue;
      images.release(record.serving.digest);
      delete record.serving;
      fail(record, blocked);
      return true;
    }
    return false;
  }

  function dependencyFailure(manifest: Manifest, known = listKnownOnce(records)): Failure | undefined {
    if (Object.keys(manifest.dependencies).length === 0) return undefined;
    const problems = checkDependencies(manifest.name, manifest.dependencies, known());
    return problems.length === 0 ? undefined : refusal(problems, { manifest, retry: "dependencies" });
  }

  function withdrawAll(): void {
    for (const record of records.values()) {
      unpublish(record);
      if (record.serving !== undefined) images.release(record.serving.digest);
    }
    records.clear();
  }

  return { claim, rankOf, advance, replace, fail, forgo: keepNames, settle, withdrawAll };
}

function tooMuch(): Problem {
  return folderError("All plugins together exceed the memory that they may use", "remove plugins, or unneeded files from their folders");
}

const LIMITS_OF_LOADS: readonly ("memoryBytes" | "loadMs")[] = ["memoryBytes", "loadMs"];
