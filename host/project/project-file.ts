/**
 * Finds `bascule.json`, reads it, and reads it again when it changes (SPEC P1).
 *
 * A deleted file counts as an empty object. A file that is broken, emptied or unreadable leaves the last good one in force, so that its
 * denials are not lost.
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

/** The project's place and configuration. */
export interface ProjectFile {
  /** Absolute path of `bascule.json`; absent if the file does not exist. */
  readonly path?: string;
  /** The folder of `bascule.json`, else the working directory; contains `.bascule/`. */
  readonly root: string;
  config(): ProjectConfig;
  /** Reads the file again if it has changed. */
  refresh(look?: Look): Promise<ProjectRefresh>;
  /** Returns true if the file existed at the last refresh. */
  isThere(): boolean;
}

/**
 * How a missing file is treated. `firm`: as deleted. `passing`: as deleted only at the second look in a row, because programs that replace
 * a file may delete the old one first. A watching host uses `passing`.
 */
export type Look = "firm" | "passing";

export type ProjectRefresh =
  | { readonly kind: "same" | "changed" }
  /** The last good file stays in force. */
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

/** A path, a configuration from code, or `false` for none; if omitted, the nearest `bascule.json` upwards. */
type ConfigSource = string | JsonObject | false | undefined;

/** `bascule.json` is not valid at the start, when no last good file exists. */
export class ProjectConfigError extends Error {
  override readonly name = "ProjectConfigError";
  /** The source of the problems: a file's path in quotes, or a description. */
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

/** @throws {ProjectConfigError} if the configuration is not valid. @throws {FileError} if the named file does not exist. */
export async function openProject(platform: Pick<Platform, "files" | "environment">, source: ConfigSource): Promise<ProjectFile> {
  const { cwd } = platform.environment;
  if (source === false) return fixedProject(cwd, "{}");
  if (typeof source === "object") return fixedProject(cwd, JSON.stringify(source));
  if (source !== undefined && typeof source !== "string") throw new ProjectConfigError("the configuration", [notASource(source)]);
  const path =
    typeof source === "string" ? await platform.files.realPath(normalizePath(source, cwd) ?? source) : await findUpwards(platform, cwd);
  return path === undefined ? projectToCome(platform, cwd) : await projectOfFile(platform, path);
}

/** For callers without types. */
function notASource(source: unknown): Problem {
  const message = `Expected a path, a configuration or false, got ${String(source)}`;
  return { severity: "error", pointer: "", message, fix: "leave it out to use the nearest bascule.json" };
}

function fixedProject(root: string, text: string): ProjectFile {
  const config = parseOrThrow("the configuration", text);
  return { root, config: () => config, refresh: async () => ({ kind: "same" }), isThere: () => false };
}

/** No file exists yet: one that is created in the folder later is loaded like an edit. */
function projectToCome(platform: Pick<Platform, "files">, root: string): ProjectFile {
  return { root, ...followFile(platform, `${root === "/" ? "" : root}/${FILE_NAME}`, undefined) };
}

async function projectOfFile(platform: Pick<Platform, "files">, path: string): Promise<ProjectFile> {
  return { path, root: parentOf(path), ...followFile(platform, path, await platform.files.readText(path)) };
}

/** @param first undefined if the file does not exist */
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
    // The next readable text counts as changed, whatever was read before.
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

/** Parses the text, and refuses policy that this host would not enforce. */
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
