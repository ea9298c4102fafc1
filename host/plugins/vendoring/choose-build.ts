/** Chooses the build of packages: the first that loads in the sandbox, or of two that load the one that lacks fewer of Node's modules. */

import {
  type BundledEntry,
  type BundleEntry,
  type BundleOutcome,
  type BundleRequest,
  type MissingModule,
  PACKAGE_BUILDS,
  type PackageBuild,
} from "../../platform/bundling/bundler-types.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Exports, Trial } from "./try-vendored.ts";

/** Packages that loaded. */
export interface ChosenBuild {
  readonly ok: true;
  readonly build: PackageBuild;
  readonly files: ReadonlyMap<string, string>;
  /** Node modules that plugins do not have: using them throws. */
  readonly missing: readonly MissingModule[];
  readonly unreadable: Exports["unreadable"];
}

/** Packages that no build of which loads. */
export interface NoBuild {
  readonly ok: false;
  readonly reason: "not_installed" | "failed";
  /** Why the first build did not load. */
  readonly message: string;
  /** Name of the output that did not load; absent if the packages could not be bundled. */
  readonly output?: string;
  readonly missing: readonly MissingModule[];
  readonly tried: readonly PackageBuild[];
}

interface ChooseRequest {
  readonly bundler: Pick<Platform["bundler"], "bundle">;
  readonly trial: Trial;
  readonly request: Omit<BundleRequest, "build">;
  /** Choice of an earlier run, which stays if it still loads. */
  readonly recorded?: PackageBuild;
}

export async function chooseBuild({ bundler, trial, request, recorded }: ChooseRequest): Promise<ChosenBuild | NoBuild> {
  const order = recorded === undefined ? PACKAGE_BUILDS : [recorded, ...PACKAGE_BUILDS.filter((build) => build !== recorded)];
  const known = new Map<string, ChosenBuild | NoBuild>();
  let best: ChosenBuild | undefined;
  let first: NoBuild | undefined;
  for (const build of order) {
    if (best !== undefined && build === "node") break;
    const made = await attempt({ bundler, trial, request }, build, known);
    if (!made.ok && made.reason === "not_installed") return made;
    if (!made.ok) first ??= made;
    else if (made.missing.length === 0 || build === recorded) return made;
    else if (best === undefined || made.missing.length < best.missing.length) best = made;
  }
  return best ?? { ...(first ?? NOTHING), tried: order };
}

const NOTHING: NoBuild = { ok: false, reason: "failed", message: "no build was tried", missing: [], tried: [] };

/** Bundles twice: a probe tells which names a CommonJS package exports. */
async function attempt(
  { bundler, trial, request }: Omit<ChooseRequest, "recorded">,
  build: PackageBuild,
  known: Map<string, ChosenBuild | NoBuild>,
): Promise<ChosenBuild | NoBuild> {
  const probe = await bundler.bundle({ ...request, build });
  if (!probe.ok) return { ...NOTHING, reason: probe.reason, message: probe.message };
  const text = JSON.stringify([...probe.files]);
  // Most packages have one build.
  const same = known.get(text);
  if (same !== undefined) return same.ok ? { ...same, build } : same;
  const judged = await judge({ bundler, trial, request }, build, probe);
  known.set(text, judged);
  return judged;
}

/** Loads the probe, and then the modules that it leads to. */
async function judge(
  { bundler, trial, request }: Omit<ChooseRequest, "recorded">,
  build: PackageBuild,
  probe: Extract<BundleOutcome, { readonly ok: true }>,
): Promise<ChosenBuild | NoBuild> {
  const missing = [...probe.entries.values()].flatMap((entry) => entry.missing);
  const entries: BundleEntry[] = [];
  const unreadable: Exports["unreadable"][number][] = [];
  for (const entry of request.entries) {
    const tried = await trial.load(entry.output, probe);
    if (!tried.ok) return { ...NOTHING, message: tried.message, output: entry.output, missing };
    unreadable.push(...tried.exports.unreadable);
    entries.push({ ...entry, exports: toListed(tried.exports, probe.entries.get(entry.output)) });
  }
  const made = await bundler.bundle({ ...request, entries, build });
  if (!made.ok) return { ...NOTHING, reason: made.reason, message: made.message };
  for (const { output } of entries) {
    const tried = await trial.load(output, made);
    if (!tried.ok) return { ...NOTHING, message: tried.message, output, missing };
  }
  return { ok: true, build, files: made.files, missing, unreadable };
}

function toListed({ names, hasDefault }: Exports, entry: BundledEntry | undefined): NonNullable<BundleEntry["exports"]> {
  return { names, default: hasDefault ? "own" : entry?.isCommonJs === true ? "module" : "absent" };
}
