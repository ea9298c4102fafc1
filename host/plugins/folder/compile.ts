/** Converts a folder's bytes to what the sandbox loads and the registry lists. */

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

/** A folder's state with its parsed manifest. Whether it may be loaded is decided elsewhere. */
export type Candidate =
  | Extract<FolderState, { readonly kind: "gone" | "ignored" }>
  | CandidateVersion
  | { readonly kind: "failed"; readonly failure: Failure };

/** A complete and valid plugin. */
export interface CandidateVersion {
  readonly kind: "ready";
  readonly snapshot: FolderSnapshot;
  readonly manifest: Manifest;
  /** Warnings of the folder and of the manifest. */
  readonly warnings: readonly Problem[];
}

/** The other plugins, when a folder is considered. */
interface Surroundings {
  readonly serving?: PluginVersion | undefined;
  readonly plugins: ReadonlySet<string>;
}

/**
 * Parses the manifest and checks that every file it names is in the folder.
 *
 * @param around the served version, whose manifest is not parsed again, and the names of all plugins: the older spelling mixes other
 *   systems' packages into "dependencies" (SPEC M9)
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

/** Returns whether a manifest has the older spelling, which is parsed again once all plugins are known. */
export function isOlder(candidate: Candidate): boolean {
  return candidate.kind === "ready" && candidate.manifest.notes !== undefined;
}

function failed(problems: readonly Problem[], manifest?: Manifest): Candidate {
  return { kind: "failed", failure: refusal(problems, manifest === undefined ? {} : { manifest }) };
}

/** Creates an immutable version: all that a call needs to finish on it, whatever happens to the folder (SPEC H4). */
export function createVersion(snapshot: FolderSnapshot, manifest: Manifest, bases: PermissionBases): PluginVersion {
  const { digest, directory, files, signedBy } = snapshot;
  return Object.freeze({ name: manifest.name, digest, ...(signedBy && { signedBy }), manifest, directory, bases, files });
}

/**
 * Converts a version for `sandbox.load`. `accepted` holds the limits above the defaults that the user accepted; a manifest only requests
 * them (SPEC M2, B3).
 */
export function toSource(version: Pick<PluginVersion, "name" | "digest" | "manifest" | "files">, accepted: LimitRequest): PluginSource {
  const highest = resolveLimits(accepted);
  const { memoryBytes, loadMs } = resolveLimits(version.manifest.limits, undefined, highest);
  return { name: version.name, digest: version.digest, files: version.files, modules: entryModules(version.manifest), memoryBytes, loadMs };
}

/** Returns every file with a tool or skill, with the exports that must be functions. */
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

/** Reports each missing file once, because usually all tools share `main`. */
function missingFiles(manifest: Manifest, files: ReadonlyMap<string, Uint8Array>): readonly Problem[] {
  const problems = new Map<string, Problem>();
  for (const { module, pointer } of entryPoints(manifest)) {
    if (files.has(module) || problems.has(module)) continue;
    const message = `File ${quote(module)} is not in the plugin's folder`;
    problems.set(module, { severity: "error", pointer, message, fix: "create it, or name an existing file" });
  }
  return [...problems.values()];
}

/** Decodes a manifest. Returns undefined if it is not valid UTF-8. */
export function decodeManifest(bytes: Uint8Array): string | undefined {
  try {
    // The JSON reader drops one byte order mark and refuses a second one.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
