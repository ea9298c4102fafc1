/**
 * `bascule.json`: found, read, and read again when it changes (SPEC P1).
 *
 * A file that was deleted says what an empty object says. One that is there and cannot be used, because it is broken, emptied or
 * unreadable, leaves the last good one in force: what it was to deny is not lost.
 */

import {
  type JsonObject,
  normalizePath,
  type Parsed,
  parseProject,
  type Problem,
  problemToText,
  type ProjectConfig,
} from "../../manifests/mod.ts";
import { FileError, type Platform } from "../platform/platform.ts";
import { checkEnforced } from "../policy/enforced.ts";

/** Where the project is and what it says. */
export interface ProjectFile {
  /** Absolute path of `bascule.json`; absent where there is none. */
  readonly path?: string;
  /** The folder of `bascule.json`, else the working directory: `.bascule/` lies there. */
  readonly root: string;
  config(): ProjectConfig;
  /** Reads the file again if it has changed. */
  refresh(look?: Look): Promise<ProjectRefresh>;
  /** Whether there was a file when it was last taken. */
  isThere(): boolean;
}

/**
 * How a file that is not there is taken: `firm`, as deleted; `passing`, as deleted when the second look in a row misses it, because
 * programs that replace a file may delete the old one first. Looks of a host that watches are passing.
 */
export type Look = "firm" | "passing";

export type ProjectRefresh =
  | { readonly kind: "same" | "changed" }
  /** The last good one stays in force. */
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

/** A file, a configuration from code, or `false` for none; without it the nearest `bascule.json` upwards is taken. */
export type ConfigSource = string | JsonObject | false | undefined;

/** `bascule.json` cannot be read at the start, where there is no last good one. */
export class ProjectConfigError extends Error {
  override readonly name = "ProjectConfigError";
  /** What is wrong: a file's path in quotes, or words. */
  readonly place: string;
  readonly problems: readonly Problem[];
  constructor(place: string, problems: readonly Problem[]) {
    super(`Cannot use ${place}:\n${problems.map((problem) => `  ${problemToText(problem)}`).join("\n")}`);
    this.place = place;
    this.problems = problems;
  }
}

const FILE_NAME = "bascule.json";
const NOTHING = "{}";

/** @throws {ProjectConfigError} if the configuration is wrong. @throws {FileError} if a file that was named is not there. */
export async function openProject(platform: Pick<Platform, "files" | "environment">, source: ConfigSource): Promise<ProjectFile> {
  const { cwd } = platform.environment;
  if (source === false) return fixedProject(cwd, "{}");
  if (typeof source === "object") return fixedProject(cwd, JSON.stringify(source));
  if (source !== undefined && typeof source !== "string") throw new ProjectConfigError("the configuration", [notASource(source)]);
  const path =
    typeof source === "string" ? await platform.files.realPath(normalizePath(source, cwd) ?? source) : await findUpwards(platform, cwd);
  return path === undefined ? projectToCome(platform, cwd) : await projectOfFile(platform, path);
}

/** Of a caller without types. */
function notASource(source: unknown): Problem {
  const message = `Expected a path, a configuration or false, got ${String(source)}`;
  return { severity: "error", pointer: "", message, fix: "leave it out to use the nearest bascule.json" };
}

function fixedProject(root: string, text: string): ProjectFile {
  const config = parseOrThrow("the configuration", text);
  return { root, config: () => config, refresh: async () => ({ kind: "same" }), isThere: () => false };
}

/** There is none yet: one that is written in the folder later is in force as an edit would be. */
function projectToCome(platform: Pick<Platform, "files">, root: string): ProjectFile {
  return { root, ...followFile(platform, `${root === "/" ? "" : root}/${FILE_NAME}`, undefined) };
}

async function projectOfFile(platform: Pick<Platform, "files">, path: string): Promise<ProjectFile> {
  return { path, root: parentOf(path), ...followFile(platform, path, await platform.files.readText(path)) };
}

/** @param first undefined: there is no file */
function followFile(
  platform: Pick<Platform, "files">,
  path: string,
  first: string | undefined,
): Pick<ProjectFile, "config" | "refresh" | "isThere"> {
  let text = first;
  let config = parseOrThrow(`"${path}"`, text ?? NOTHING);
  let refused: ProjectRefresh | undefined;
  let isMissed = false;

  async function refresh(look: Look = "firm"): Promise<ProjectRefresh> {
    const read = await readIfThere(platform, path);
    const wasMissed = isMissed;
    isMissed = read.ok && read.text === undefined;
    // The next readable text is news, whatever was read before.
    if (!read.ok) return { kind: "refused", problems: [read.problem] };
    if (read.text === text) return refused ?? { kind: "same" };
    if (isMissed && !wasMissed && look === "passing") return refused ?? { kind: "same" };
    ({ text } = read);
    const parsed = parseEnforced(text ?? NOTHING);
    refused = parsed.ok ? undefined : { kind: "refused", problems: parsed.problems };
    if (!parsed.ok) return { kind: "refused", problems: parsed.problems };
    config = parsed.value;
    return { kind: "changed" };
  }

  return { config: () => config, refresh, isThere: () => text !== undefined };
}

function parseOrThrow(place: string, text: string): ProjectConfig {
  const parsed = parseEnforced(text);
  if (!parsed.ok) throw new ProjectConfigError(place, parsed.problems);
  return parsed.value;
}

/** Read, and refused where this host would not do what it says. */
export function parseEnforced(text: string): Parsed<ProjectConfig> {
  const parsed = parseProject(text);
  const problems = parsed.ok ? checkEnforced(parsed.value) : [];
  return problems.length > 0 ? { ok: false, problems } : parsed;
}

type FileRead = { readonly ok: true; readonly text: string | undefined } | { readonly ok: false; readonly problem: Problem };

async function readIfThere(platform: Pick<Platform, "files">, path: string): Promise<FileRead> {
  try {
    return { ok: true, text: await platform.files.readText(path) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code === "not_found" || error.code === "not_a_directory") return { ok: true, text: undefined };
    const message = `Cannot read "${path}": ${error.code.replaceAll("_", " ")}`;
    return { ok: false, problem: { severity: "error", pointer: "", message, fix: "make it a file that bascule can read, or delete it" } };
  }
}

async function findUpwards(platform: Pick<Platform, "files">, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = parentOf(folder)) {
    const path = folder === "/" ? `/${FILE_NAME}` : `${folder}/${FILE_NAME}`;
    if ((await platform.files.stat(path))?.kind === "file") return path;
    if (folder === parentOf(folder)) return undefined;
  }
}

function parentOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end <= 0 ? "/" : path.slice(0, end);
}
