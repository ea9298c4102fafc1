/** From a folder's bytes to what the sandbox loads and what the registry lists. */

import {
  type LimitRequest,
  type Manifest,
  parseManifest,
  type PermissionBases,
  type Problem,
  resolveLimits,
} from "../../../manifests/mod.ts";
import type { PluginSource } from "../../../sandbox/mod.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import { folderError, quote } from "./problems.ts";
import type { FolderSnapshot, FolderState } from "./read.ts";
import { type Failure, refusal } from "./record.ts";
import { MANIFEST_FILE } from "./walk.ts";

/** A folder's state with its manifest read; whether it may be loaded others decide. */
export type Candidate =
  | Extract<FolderState, { readonly kind: "gone" | "ignored" }>
  | CandidateVersion
  | { readonly kind: "failed"; readonly failure: Failure };

/** A plugin, whole and well-formed. */
export interface CandidateVersion {
  readonly kind: "ready";
  readonly snapshot: FolderSnapshot;
  readonly manifest: Manifest;
  /** Of the folder and of the manifest. */
  readonly warnings: readonly Problem[];
}

/** What is known when a folder is considered. */
export interface Surroundings {
  readonly serving?: PluginVersion | undefined;
  readonly plugins: ReadonlySet<string>;
}

/**
 * Reads the manifest and checks that every file it names is in the folder.
 *
 * @param around the version that serves, whose manifest is not read again, and the names of all plugins there are: the
 * older spelling lists under "dependencies" whatever its author's system needs (SPEC M9).
 */
export function toCandidate(state: FolderState, around: Surroundings): Candidate {
  const { serving, plugins } = around;
  if (state.kind === "refused") return failed(state.problems);
  if (state.kind !== "read") return state;
  if (state.digest === serving?.digest) return { kind: "ready", snapshot: state, manifest: serving.manifest, warnings: state.warnings };

  const text = decodeManifest(state.files.get(MANIFEST_FILE) ?? new Uint8Array());
  if (text === undefined) return failed([folderError(`"${MANIFEST_FILE}" is not UTF-8 text`, "save it as UTF-8")]);
  const parsed = parseManifest(text, { files: new Set(state.files.keys()), plugins });
  // A file that the manifest names may be one that was left out.
  if (!parsed.ok) return failed([...state.warnings, ...parsed.problems]);
  const missing = missingFiles(parsed.value, state.files);
  if (missing.length > 0) return failed(missing, parsed.value);
  return { kind: "ready", snapshot: state, manifest: parsed.value, warnings: [...state.warnings, ...parsed.warnings] };
}

/** True for a manifest of the older spelling, which is read again once all plugins are known. */
export function isOlder(candidate: Candidate): boolean {
  return candidate.kind === "ready" && candidate.manifest.notes !== undefined;
}

function failed(problems: readonly Problem[], manifest?: Manifest): Candidate {
  return { kind: "failed", failure: refusal(problems, manifest === undefined ? {} : { manifest }) };
}

/** A version as a value: all that a call needs to finish on it, whatever the folder holds by then (SPEC H4). */
export function createVersion(snapshot: FolderSnapshot, manifest: Manifest, bases: PermissionBases): PluginVersion {
  const { digest, directory, files, signedBy } = snapshot;
  return Object.freeze({ name: manifest.name, digest, ...(signedBy && { signedBy }), manifest, directory, bases, files });
}

/** What `sandbox.load` needs of a version. `accepted` is what a person allowed above the defaults: a manifest only asks (SPEC M2, B3). */
export function toSource(version: Pick<PluginVersion, "name" | "digest" | "manifest" | "files">, accepted: LimitRequest): PluginSource {
  const highest = resolveLimits(accepted);
  const { memoryBytes, loadMs } = resolveLimits(version.manifest.limits, undefined, highest);
  return { name: version.name, digest: version.digest, files: version.files, modules: entryModules(version.manifest), memoryBytes, loadMs };
}

/** Every file that holds a tool or a skill, with the exports that must be functions. */
function entryModules(manifest: Manifest): ReadonlyMap<string, readonly string[]> {
  const modules = new Map<string, Set<string>>();
  for (const { module, exportName } of entryPoints(manifest)) {
    const exports = modules.get(module) ?? new Set();
    modules.set(module, exports.add(exportName));
  }
  return new Map([...modules].map(([module, exports]) => [module, [...exports]]));
}

interface EntryPoint {
  readonly module: string;
  readonly exportName: string;
  readonly pointer: string;
}

function entryPoints(manifest: Manifest): readonly EntryPoint[] {
  return [
    ...manifest.tools.map((tool, index) => ({
      module: tool.module ?? manifest.main,
      exportName: tool.export ?? tool.name,
      pointer: `/tools/${index}/module`,
    })),
    ...manifest.skills.map((skill, index) => ({ module: skill.module, exportName: skill.export, pointer: `/skills/${index}/module` })),
  ];
}

/** Each missing file once: usually it is `main`, which every tool shares. */
function missingFiles(manifest: Manifest, files: ReadonlyMap<string, Uint8Array>): readonly Problem[] {
  const problems = new Map<string, Problem>();
  for (const { module, pointer } of entryPoints(manifest)) {
    if (files.has(module) || problems.has(module)) continue;
    const message = `File ${quote(module)} is not in the plugin's folder`;
    problems.set(module, { severity: "error", pointer, message, fix: "create it, or name a file that is there" });
  }
  return [...problems.values()];
}

/** A manifest's text; undefined if it is no UTF-8. */
export function decodeManifest(bytes: Uint8Array): string | undefined {
  try {
    // A byte order mark is the reader's business: one is dropped, a second one is no JSON.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
