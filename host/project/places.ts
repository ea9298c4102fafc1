/** Absolute paths of a host: project, state, workspace, plugin roots. */

import { orUndefined } from "../platform/or-undefined.ts";
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
  /** Folder that calls work on. Default: that of `bascule.json`, else its folder, else the working directory. */
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
  /** Set if only what the user trusts is in effect. */
  readonly trust?: ProjectTrust;
  /** Real path of the project's folder. */
  readonly root: string;
  /** Folder `.bascule` of the project. */
  readonly state: string;
  readonly grantsFile: string;
  /** Path of `bascule.lock`. */
  readonly lockFile: string;
  /** Folder of the plugins' settings, one file each. */
  readonly settingsFolder: string;
  /** Folder of accepted versions that were replaced. */
  readonly versionsFolder: string;
  /** Folder of the journal's files. */
  readonly auditFolder: string;
  /** Key and checkpoints of the journal, kept outside of the project. */
  readonly checkpointFile: string;
  /** Folder of waiting calls, and the key that seals them, kept outside of the project. */
  readonly waitingFolder: string;
  readonly waitingKeyFile: string;
  /** Key of this host in clusters, in the configuration folder. */
  readonly clusterKeyFile: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Path of the workspace as the user named it, if that contains a link. */
  readonly workspaceNamed?: string;
  /** Real paths except for their last part: a root that is a link is resolved at every use. */
  readonly pluginRoots: readonly string[];
  /** Folders of `$data` (above the plugin's own folder), `$tmp` and `$home`, and the workspace's path with links. */
  readonly folders: Required<Pick<PermissionBases, "data" | "tmp" | "home">> & Pick<PermissionBases, "named">;
  /** Folder above the folders of the plugins' databases. */
  readonly databases: string;
  /** Paths that no tool may touch. */
  readonly protect: readonly Protection[];
}

/** Returns the file with the key of a project's host. @param root real path of the project */
export async function clusterKeyFile({ environment }: Pick<Platform, "environment">, root: string): Promise<string> {
  return `${environment.config}/keys/${(await sha256Hex(root)).slice(0, 32)}.nkey`;
}

/** @throws {FileError} if the workspace does not exist. @throws {ProjectConfigError} if `bascule.json` is not valid. */
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
  const rootHash = (await sha256Hex(root)).slice(0, 32);

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
    versionsFolder: join(state, "versions"),
    auditFolder: join(state, "audit"),
    checkpointFile: `${environment.config}/journals/${rootHash}.db`,
    waitingFolder: join(state, "waiting"),
    waitingKeyFile: `${environment.config}/keys/${rootHash}.key`,
    clusterKeyFile: await clusterKeyFile(platform, root),
    workspace: realWorkspace,
    ...(workspaceNamed !== undefined && { workspaceNamed }),
    pluginRoots,
    databases: join(state, "databases"),
    folders: {
      ...{ data: join(state, "data"), tmp: environment.tmp, home: environment.home },
      ...(workspaceNamed !== undefined && { named: { as: workspaceNamed, is: realWorkspace } }),
    },
    protect: protectionsOf(
      { states: [state, ...(await ledTo(files, state))], cache: environment.cache, config: environment.config },
      [...new Set([...pluginRoots, ...realRoots])],
      await policyFilesOf(platform, root, project),
    ),
  });
}

/**
 * Returns the path by which the user opened the workspace: the option, the folder of the configuration file, or the shell's folder, each as
 * written.
 */
async function namedAs(
  platform: Pick<Platform, "files" | "environment">,
  real: string,
  { workspace, config }: Pick<PlaceOptions, "config" | "workspace">,
): Promise<string | undefined> {
  const { cwd } = platform.environment;
  const shell = platform.environment.get("PWD") ?? "";
  const shown = shell.startsWith("/") && (await realPathOrSame(platform, shell)) === cwd ? (normalizePath(shell, "/") ?? cwd) : cwd;
  const written = workspace ?? (typeof config === "string" ? config.replace(/[^/]*$/u, "") : ".");
  // If the shell is below the workspace, its path names every folder above.
  for (
    let named = normalizePath(written, shown);
    named !== undefined && named !== "/";
    named = named.slice(0, named.lastIndexOf("/")) || "/"
  )
    if ((await realPathOrSame(platform, named)) === real) return named === real ? undefined : named;
  return undefined;
}

/** Policy files: the one in use, whatever its name or place, and those that a later host would load. */
async function policyFilesOf(platform: Pick<Platform, "files">, root: string, { path }: ProjectFile): Promise<readonly string[]> {
  const own = path === undefined ? [] : [path, await realPathOrSame(platform, path)];
  return [...new Set([join(root, "bascule.json"), join(root, "bascule.lock"), ...own])];
}

/**
 * Returns where the state is stored if it is a link or contains links: a checkout may bring links to places that tools can read.
 *
 * @throws {FileError} if a link is broken: a program that creates its target later would own the host's state.
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
    if (error instanceof FileError) throw new FileError(error.code, `"${path}" is a broken link (delete it)`);
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
        // The next start runs what is stored there: host code and every plugin's prelude.
        { access: "write", path: cache },
        { access: "read", path: config },
        { access: "write", path: config },
      ],
    },
    // The user's agent may edit plugins with the built-in tools. A plugin may not, because it would gain the grants of the plugin it edits.
    { name: "plugin sources", pluginsOnly: true, paths: pluginRoots.map((path) => ({ access: "write", path })) },
  ];
}

function within(path: string, base: string): string {
  const absolute = normalizePath(path, base);
  if (absolute === undefined) throw new TypeError(`Not a valid path: "${path}"`);
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

/** A root that does not exist yet is created later, under the given name. */
async function realPathOrSame({ files }: Pick<Platform, "files">, path: string): Promise<string> {
  return (await orUndefined(files.realPath(path))) ?? path;
}
