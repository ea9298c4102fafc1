/** `bascule.json`: found, read, and read again when it changes; a bad edit keeps the last good one (SPEC P1). */

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
  refresh(): Promise<ProjectRefresh>;
}

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
  return { root, config: () => config, refresh: async () => ({ kind: "same" }) };
}

/** There is none yet: once somebody writes one in the folder, it is in force as an edit would be. */
function projectToCome(platform: Pick<Platform, "files">, root: string): ProjectFile {
  const path = `${root === "/" ? "" : root}/${FILE_NAME}`;
  const follow = followFile(platform, path, "{}");
  async function refresh(): Promise<ProjectRefresh> {
    return (await platform.files.stat(path))?.kind === "file" ? await follow.refresh() : { kind: "same" };
  }
  return { root, config: follow.config, refresh };
}

async function projectOfFile(platform: Pick<Platform, "files">, path: string): Promise<ProjectFile> {
  return { path, root: parentOf(path), ...followFile(platform, path, await platform.files.readText(path)) };
}

function followFile(platform: Pick<Platform, "files">, path: string, first: string): Pick<ProjectFile, "config" | "refresh"> {
  let text = first;
  let config = parseOrThrow(`"${path}"`, text);
  let refused: ProjectRefresh | undefined;

  async function refresh(): Promise<ProjectRefresh> {
    const next = await readOrUndefined(platform, path);
    if (next === text) return refused ?? { kind: "same" };
    if (next === undefined) return { kind: "refused", problems: [{ severity: "error", pointer: "", message: `Cannot read "${path}"` }] };
    text = next;
    const parsed = parseEnforced(next);
    refused = parsed.ok ? undefined : { kind: "refused", problems: parsed.problems };
    if (!parsed.ok) return { kind: "refused", problems: parsed.problems };
    config = parsed.value;
    return { kind: "changed" };
  }

  return { config: () => config, refresh };
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

async function readOrUndefined(platform: Pick<Platform, "files">, path: string): Promise<string | undefined> {
  try {
    return await platform.files.readText(path);
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
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
