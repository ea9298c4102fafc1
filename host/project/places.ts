/** Where everything of a host is: project, state, workspace, plugin roots. Absolute paths. */

import { sha256Hex } from "../primitives/digest.ts";
import { type JsonObject, normalizePath, type PermissionBases } from "../../manifests/mod.ts";
import type { Environment } from "../platform/environment-types.ts";
import { FileError, type Platform } from "../platform/platform.ts";
import type { Protection } from "../policy/protect.ts";
import { openProject, type ProjectFile } from "./project-file.ts";
import { type ProjectTrust, trustedProject } from "./trust/project-trust.ts";

/** Part of `HostOptions`. Relative paths are relative to the working directory. */
export interface PlaceOptions {
  /** Plugin roots. Default: those of `bascule.json`, if there is one, else none. A missing one is created. */
  readonly plugins?: string | readonly string[];
  /** What calls may work on. Default: that of `bascule.json`, else its folder, else the working directory. */
  readonly workspace?: string;
  /** Path of a `bascule.json`, its contents, or false for none. Default: the nearest one upwards. */
  readonly config?: string | JsonObject | false;
  /**
   * How much counts of what `bascule.json` and `.bascule/grants.json` ask for that starts programs, reaches other hosts, gives more or asks less:
   * `all` of it, as in a program's own project, or what a person `agreed` to on this machine (`bascule trust`). Default `all`.
   */
  readonly trust?: "all" | "agreed";
}

/** The folders that a host works with, and its project's configuration. */
export interface Places {
  readonly project: ProjectFile;
  /** Where only what a person agreed to counts. */
  readonly trust?: ProjectTrust;
  /** Real path of the project's folder. */
  readonly root: string;
  /** `.bascule` in it. */
  readonly state: string;
  readonly grantsFile: string;
  /** `bascule.lock`. */
  readonly lockFile: string;
  /** Of plugins, one file each. */
  readonly settingsFolder: string;
  /** Of the journal's files. */
  readonly auditFolder: string;
  /** What is known of the journal outside of the project: its key and checkpoints. */
  readonly checkpointFile: string;
  /** Real path. */
  readonly workspace: string;
  /** The workspace by the link that it was named by, if it was. */
  readonly workspaceNamed?: string;
  /** Real paths, but for their last part: a root that is a link is followed wherever it leads at the time. */
  readonly pluginRoots: readonly string[];
  /** What `$data` (above the plugin's own folder), `$tmp` and `$home` stand for, and the workspace by its link. */
  readonly folders: Required<Pick<PermissionBases, "data" | "tmp" | "home">> & Pick<PermissionBases, "named">;
  /** What no tool may touch. */
  readonly protect: readonly Protection[];
}

/** @throws {FileError} if the workspace is not there. @throws {ProjectConfigError} if `bascule.json` is wrong. */
export async function openPlaces(
  platform: Pick<Platform, "files" | "environment" | "log" | "clock" | "random">,
  options: PlaceOptions,
): Promise<Places> {
  const { files, environment } = platform;
  const written = await openProject(platform, options.config);
  const trusted = options.trust === "agreed" ? await trustedProject(platform, written) : undefined;
  const project = trusted ?? written;
  const root = await files.realPath(project.root);
  const config = project.config();
  const state = join(root, ".bascule");

  const workspace = options.workspace === undefined ? within(config.workspace ?? ".", root) : within(options.workspace, environment.cwd);
  const realWorkspace = await files.realPath(workspace);
  const workspaceNamed = await namedAs(platform, realWorkspace, options);
  const own = project.path === undefined && options.config === undefined ? [] : config.plugins.map((folder) => within(folder, root));
  const asked = options.plugins === undefined ? own : [options.plugins].flat().map((folder) => within(folder, environment.cwd));
  const pluginRoots = await Promise.all(asked.map(async (folder) => await namedInRealFolder(platform, folder)));
  const realRoots = await Promise.all(pluginRoots.map(async (folder) => await realPathOrSame(platform, folder)));

  return Object.freeze({
    project,
    ...(trusted && { trust: trusted.trust }),
    root,
    state,
    grantsFile: join(state, "grants.json"),
    lockFile: join(root, "bascule.lock"),
    settingsFolder: join(state, "settings"),
    auditFolder: join(state, "audit"),
    checkpointFile: `${environment.config}/journals/${(await sha256Hex(new TextEncoder().encode(root))).slice(0, 32)}.db`,
    workspace: realWorkspace,
    ...(workspaceNamed !== undefined && { workspaceNamed }),
    pluginRoots,
    folders: {
      ...{ data: join(state, "data"), tmp: environment.tmp, home: environment.home },
      ...(workspaceNamed !== undefined && { named: { as: workspaceNamed, is: realWorkspace } }),
    },
    protect: protectionsOf(
      { states: [state, ...(await ledTo(files, state))], ...environment },
      [...new Set([...pluginRoots, ...realRoots])],
      await policyFilesOf(platform, root, project),
    ),
  });
}

/** By what a person opened it: the workspace's own path, the project's, or the shell's folder, as each was written. */
async function namedAs(
  platform: Pick<Platform, "files" | "environment">,
  real: string,
  { workspace, config }: Pick<PlaceOptions, "config" | "workspace">,
): Promise<string | undefined> {
  const { cwd } = platform.environment;
  const shell = platform.environment.get("PWD") ?? "";
  const shown = shell.startsWith("/") && (await realPathOrSame(platform, shell)) === cwd ? (normalizePath(shell, "/") ?? cwd) : cwd;
  const written = workspace ?? (typeof config === "string" ? config.replace(/[^/]*$/u, "") : ".");
  // From a folder below the workspace, the shell's folder names all above it.
  for (
    let named = normalizePath(written, shown);
    named !== undefined && named !== "/";
    named = named.slice(0, named.lastIndexOf("/")) || "/"
  )
    if ((await realPathOrSame(platform, named)) === real) return named === real ? undefined : named;
  return undefined;
}

/** The file that is the policy, whatever `--config` calls it and wherever it lies, and those a later host would take for it. */
async function policyFilesOf(platform: Pick<Platform, "files">, root: string, { path }: ProjectFile): Promise<readonly string[]> {
  const own = path === undefined ? [] : [path, await realPathOrSame(platform, path)];
  return [...new Set([join(root, "bascule.json"), join(root, "bascule.lock"), ...own])];
}

/**
 * Where the state really is, if it or something in it is a link: a checkout may bring such, to a place that tools may read.
 *
 * @throws {FileError} if one leads nowhere: whoever makes something there later would have made it the host's.
 */
async function ledTo(files: Platform["files"], state: string): Promise<readonly string[]> {
  if ((await files.lstat(state)) === undefined) return [];
  const real = await whereItLeads(files, state);
  const entries = await files.list(real).catch(undefinedIfNoFolder);
  const links = (entries ?? []).filter(({ name, kind }) => kind === "symlink" && name !== "data");
  const led = await Promise.all(links.map(({ name }) => whereItLeads(files, join(real, name))));
  return [...(real === state ? [] : [real]), ...led];
}

async function whereItLeads(files: Platform["files"], path: string): Promise<string> {
  try {
    return await files.realPath(path);
  } catch (error) {
    if (error instanceof FileError) throw new FileError(error.code, `"${path}" is a link that leads nowhere (delete it)`);
    throw error;
  }
}

function undefinedIfNoFolder(error: unknown): undefined {
  if (!(error instanceof FileError)) throw error;
}

function protectionsOf(
  { states, cache, config }: { readonly states: readonly string[] } & Pick<Environment, "cache" | "config">,
  pluginRoots: readonly string[],
  policyFiles: readonly string[],
): readonly Protection[] {
  return [
    {
      name: "host state",
      pluginsOnly: false,
      paths: [
        ...states.flatMap((path) => (["read", "write"] as const).map((access) => ({ access, path, except: join(path, "data") }))),
        ...policyFiles.map((path) => ({ access: "write" as const, path })),
        // The next start runs what lies there: host code and every plugin's prelude.
        { access: "write", path: cache },
        { access: "read", path: config },
        { access: "write", path: config },
      ],
    },
    // A person's agent may edit plugins with the built-in tools; a plugin that edits others would hold their grants.
    { name: "plugin sources", pluginsOnly: true, paths: pluginRoots.map((path) => ({ access: "write", path })) },
  ];
}

function within(path: string, base: string): string {
  const absolute = normalizePath(path, base);
  if (absolute === undefined) throw new TypeError(`"${path}" is no path`);
  return absolute;
}

function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

async function namedInRealFolder(platform: Pick<Platform, "files">, path: string): Promise<string> {
  const slash = path.lastIndexOf("/");
  if (path === "/") return path;
  return join(await realPathOrSame(platform, slash === 0 ? "/" : path.slice(0, slash)), path.slice(slash + 1));
}

/** A root that is not there yet is created later, under the name it was given. */
async function realPathOrSame({ files }: Pick<Platform, "files">, path: string): Promise<string> {
  try {
    return await files.realPath(path);
  } catch (error) {
    if (error instanceof FileError) return path;
    throw error;
  }
}
