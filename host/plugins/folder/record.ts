/** The directory's state for one folder of a plugin root. */

import { type Manifest, type Problem, problemToText } from "../../../manifests/mod.ts";
import type { LoadFault, LoadWarning } from "../../../sandbox/mod.ts";
import { defined } from "../../primitives/defined.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import type { KnownPlugin } from "./dependencies.ts";
import { pathOf, type Place } from "./discover.ts";
import type { FolderState } from "./read.ts";
import type { HeldVersion, PluginError, PluginStatus } from "./status.ts";
import { MANIFEST_FILE } from "./walk.ts";

/** Mutable: only `Publication` changes it, within one tick. */
export interface PluginRecord {
  /** Absolute path in its root; may be a link. */
  readonly path: string;
  readonly place: Place;
  /** Result of the newest state of the folder that was considered. */
  outcome: Outcome;
  /** The folder's appearance at that time. */
  seen?: Seen;
  /** A version that is being loaded, and the bytes that it holds. */
  pending?: { readonly manifest: Manifest; readonly bytes: number };
  /** The version that can be called. */
  serving?: PluginVersion;
  /** Size of its files. */
  servingBytes?: number;
  /** Its name in the registry, callable or not. */
  published?: string;
  /** Tools that answer `unavailable` although the version serves. */
  turnedOff?: readonly string[];
}

/** The facts that are compared to notice a change. */
export interface Seen {
  readonly signature: string;
  readonly digest?: string;
  readonly signer?: string;
  readonly identity?: string;
  readonly linkTarget?: string;
  /** Real path. */
  readonly directory?: string;
  /**
   * A file was written so shortly before it was read that a later write could have the same time stamp. So the signature is not conclusive,
   * and the bytes are compared once more.
   */
  readonly racy: boolean;
}

/** Result of the newest state of a folder. */
export type Outcome =
  | { readonly kind: "new" }
  | { readonly kind: "loaded"; readonly warnings: readonly Problem[] }
  /** Disabled by its manifest or by its settings. */
  | { readonly kind: "disabled"; readonly by: "manifest" | "settings"; readonly manifest: Manifest; readonly warnings: readonly Problem[] }
  | { readonly kind: "quarantined"; readonly manifest: Manifest; readonly reason: string; readonly held: HeldVersion }
  | { readonly kind: "ignored"; readonly reason: string }
  | Failure;

/** Why a version does not run. */
export interface Failure {
  readonly kind: "failed";
  readonly problems: readonly Problem[];
  readonly error: PluginError;
  /** Present if the manifest could be read. */
  readonly manifest?: Manifest;
  /** Condition that must change before the same bytes are tried again. If absent, the bytes must change. */
  readonly retry?: "name" | "dependencies" | "settings" | "load";
  /** Set if another folder has the name: accepting this version gives it the name. */
  readonly held?: HeldVersion;
}

/** Creates the record of a folder that has not been read. */
export function createRecord(place: Place): PluginRecord {
  return { path: pathOf(place), place, outcome: { kind: "new" } };
}

/** Returns the facts of a folder's state for noticing the next change. */
export function seenNow(state: FolderState, readMs: number): Seen {
  if (state.kind !== "read") return { signature: state.signature, racy: false };
  const { signature, digest, identity, linkTarget, directory, newestMs, signedBy } = state;
  // File time stamps advance in steps of a few milliseconds. One far in the future does not mean a recent write.
  const racy = Math.abs(newestMs - readMs) < RACY_MS;
  const signer = signedBy?.signer;
  return {
    ...{ signature, digest, identity, racy },
    ...(linkTarget !== undefined && { linkTarget }),
    directory,
    ...(signer !== undefined && { signer }),
  };
}

const RACY_MS = 100;

/** Returns whether the folder's state has been considered already. */
export function isKnownState(record: PluginRecord, state: FolderState): boolean {
  if (record.outcome.kind === "new" || record.seen === undefined) return false;
  return state.kind === "read"
    ? record.seen.digest === state.digest && record.seen.signer === state.signedBy?.signer
    : record.seen.digest === undefined && record.seen.signature === state.signature;
}

/** Creates the failure of an invalid manifest or folder. */
export function refusal(problems: readonly Problem[], more: Pick<Failure, "manifest" | "retry" | "held"> = {}): Failure {
  const [first] = problems.filter((problem) => problem.severity === "error");
  const place = first?.line === undefined ? {} : { line: first.line, column: first.column ?? 1 };
  const message = first === undefined ? "Refused" : problemToText(first);
  return { kind: "failed", problems, error: { message, file: MANIFEST_FILE, ...place }, ...more };
}

/** Creates the failure of invalid settings. */
export function settingsFailure(manifest: Manifest, problems: readonly Problem[]): Failure {
  const [first] = problems;
  return { kind: "failed", problems, error: { message: first?.message ?? "Its settings are not valid" }, manifest, retry: "settings" };
}

/** Creates the failure of the plugin's own code, with its position in the author's file (SPEC H5). */
export function loadFailure(manifest: Manifest, fault: LoadFault): Failure {
  const { file, line, column } = fault;
  const message = clip(fault.message, 2_000);
  const stack = fault.stack === undefined ? undefined : clip(fault.stack, 8_000);
  const error: PluginError = {
    message,
    ...defined({ file, line, column, stack }),
  };
  const problem: Problem = { severity: "error", pointer: "", message: `${placeOf(error)}${message}` };
  // Limits and traps may depend on the machine; the same source always throws and parses the same way.
  const retry = fault.kind === "limit" || fault.kind === "trap" ? { retry: "load" as const } : {};
  return { kind: "failed", problems: [problem], error, manifest, ...retry };
}

const FROZEN_FIX = 'move it into the tool function; for a value that is made once and kept: await context.data.kv.once("key", () => …)';

/** Returns the problem for a value that top-level code took. */
export function toWarning({ source, file, line, column }: LoadWarning): Problem {
  const message = `${clip(source, 100)} runs while the plugin loads, so its value is the same in every call and every installation`;
  return { severity: "warning", pointer: "", file: clip(file, 500), line, column, message, fix: FROZEN_FIX };
}

/** Returns the manifest of the served version, or else the newest readable one. */
export function manifestOf(record: PluginRecord): Manifest | undefined {
  if (record.serving !== undefined) return record.serving.manifest;
  if (record.pending !== undefined) return record.pending.manifest;
  return "manifest" in record.outcome ? record.outcome.manifest : undefined;
}

/** Returns every plugin that others may depend on, by name. */
export function knownPlugins(records: ReadonlyMap<string, PluginRecord>): ReadonlyMap<string, KnownPlugin> {
  const known = new Map<string, KnownPlugin>();
  for (const record of records.values()) {
    const manifest = manifestOf(record);
    // A plugin without its name, which belongs to another folder, cannot be a dependency.
    const isNamesake = record.outcome.kind === "failed" && record.outcome.retry === "name" && record.serving === undefined;
    if (manifest === undefined || isNamesake) continue;
    known.set(manifest.name, { version: manifest.version, dependencies: manifest.dependencies, state: stateOf(record) });
  }
  return known;
}

/** Returns the same list lazily: few plugins have dependencies, and each publication would compute it. */
export function listKnownOnce(records: ReadonlyMap<string, PluginRecord>): () => ReadonlyMap<string, KnownPlugin> {
  let known: ReadonlyMap<string, KnownPlugin> | undefined;
  return () => (known ??= knownPlugins(records));
}

/** Returns the bytes that all records keep in memory. */
export function bytesHeld(records: ReadonlyMap<string, PluginRecord>): number {
  let total = 0;
  for (const { serving, servingBytes, pending } of records.values()) {
    total += (pending?.bytes ?? 0) + (serving === undefined ? 0 : (servingBytes ?? 0));
  }
  return total;
}

/** Returns the public status of a record; undefined for a folder that has not been read yet. */
export function toStatus(record: PluginRecord): PluginStatus | undefined {
  const { outcome, serving, seen } = record;
  if (outcome.kind === "new") return undefined;
  const realDirectory = serving?.directory ?? seen?.directory;
  const manifest = manifestOf(record);
  const digest = serving?.digest ?? seen?.digest;
  const reason = reasonOf(outcome);
  const held = outcome.kind === "quarantined" || outcome.kind === "failed" ? outcome.held : undefined;
  return {
    state: held === undefined ? outcome.kind : "quarantined",
    directory: record.path,
    ...(realDirectory !== undefined && realDirectory !== record.path && { realDirectory }),
    folder: record.place.folder,
    ...(manifest !== undefined && { name: manifest.name, version: manifest.version, manifest, requested: manifest.permissions }),
    ...(digest !== undefined && { digest }),
    problems: problemsOf(outcome),
    ...(reason !== undefined && { reason }),
    lastGood: serving !== undefined && outcome.kind !== "loaded",
    ...(outcome.kind === "failed" && held === undefined && { error: outcome.error }),
    ...(held && { held }),
  };
}

/** Returns one line for the user; undefined for a loaded plugin. */
export function reasonOf(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case "new":
    case "loaded":
      return undefined;
    case "disabled": {
      const { name } = outcome.manifest;
      const how = outcome.by === "settings" ? `bascule settings ${name} enabled true` : 'set "enabled" to true in its manifest.json';
      return `Plugin "${name}" is disabled (${how})`;
    }
    case "ignored":
    case "quarantined":
      return outcome.reason;
    case "failed":
      return `${placeOf(outcome.error)}${outcome.error.message}`;
  }
}

function stateOf({ serving, pending, outcome }: PluginRecord): KnownPlugin["state"] {
  if (serving !== undefined) return "serving";
  if (pending !== undefined) return "waiting";
  if (outcome.kind === "failed") return outcome.retry === "dependencies" ? "waiting" : "failed";
  return outcome.kind === "disabled" || outcome.kind === "quarantined" ? outcome.kind : "failed";
}

function problemsOf(outcome: Outcome): readonly Problem[] {
  if (outcome.kind === "failed") return outcome.problems;
  return outcome.kind === "loaded" || outcome.kind === "disabled" ? outcome.warnings : [];
}

function placeOf({ file, line, column }: PluginError): string {
  // A manifest's problem names its line itself.
  if (file === undefined || file === MANIFEST_FILE) return "";
  return line === undefined ? `${file}: ` : `${file}:${line}:${column ?? 1}: `;
}

/** Bounds text from a plugin's own code. */
function clip(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Returns the folder's version when another one serves in its place: the quarantined one, or the one that served. */
export function heldBy({ outcome, seen }: PluginRecord, previous: PluginVersion | undefined): Aside | undefined {
  if (outcome.kind === "quarantined") return outcome;
  if (previous === undefined || seen?.digest !== previous.digest) return undefined;
  const signer = previous.signedBy?.signer;
  const { name, manifest, digest } = previous;
  return { manifest, held: { name, version: manifest.version, digest, ...(signer !== undefined && { signer }), changes: [] } };
}

/** A version that is set aside, and its manifest. */
interface Aside {
  readonly manifest: Manifest;
  readonly held: HeldVersion;
}
