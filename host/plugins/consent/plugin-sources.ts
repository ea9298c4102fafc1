/**
 * Files of a plugin's versions, for a user who reads them (SPEC I5): the version that serves, the one that waits or does not load, and those
 * that are kept for a rollback. A plugin's settings, secrets and data are not among its files.
 */

import { diffBy } from "../../effects/overlay/diff-by.ts";
import type { Platform } from "../../platform/platform.ts";
import { compareText, digestFiles } from "../../primitives/digest.ts";
import type { Service } from "../../primitives/service/service.ts";
import type { PluginDirectory, PluginStatus } from "../folder/mod.ts";
import { readFolder } from "../folder/read.ts";
import type { Versions } from "./versions.ts";

/** `serving`: its tools can be called. `folder`: on disk, and not serving. `kept`: for a rollback. */
interface SourceVersion {
  readonly digest: string;
  /** Absent if the manifest of a version on disk cannot be read. */
  readonly version?: string;
  readonly state: "serving" | "folder" | "kept";
}

interface SourceFile {
  readonly path: string;
  readonly bytes: number;
}

interface SourceText extends SourceFile {
  /** The beginning, if the file is longer than `MAX_SOURCE_BYTES`; absent for a file that is not text. */
  readonly text?: string;
}

/** A file that two versions do not share. Both sizes are those of its contents. */
interface SourceChange {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly before?: number;
  readonly after?: number;
  /** Unified diff; absent if a side is not text or too large, and past `MAX_DIFFS`. */
  readonly diff?: string;
}

/** Reads versions of a plugin. Each function resolves with undefined if the plugin or the version is unknown. */
export interface PluginSources {
  /** The serving one first, then the folder's, then those kept, the newest first. */
  versions(plugin: string): Promise<readonly SourceVersion[] | undefined>;
  /** @param digest default: the first of `versions` */
  files(plugin: string, digest?: string): Promise<readonly SourceFile[] | undefined>;
  /** Reads one of `files`. */
  text(plugin: string, path: string, digest?: string): Promise<SourceText | undefined>;
  /** Lists the files that differ, the manifest first. */
  diff(plugin: string, from: string, to: string): Promise<readonly SourceChange[] | undefined>;
}

/** Longest text of a file that is returned. */
const MAX_SOURCE_BYTES: number = 256 * 1024;
const MAX_DIFFS = 50;
const MANIFEST = "manifest.json";

interface PluginSourcesOptions {
  readonly platform: Pick<Platform, "files" | "guarded">;
  readonly service: Service;
  readonly directory: Pick<PluginDirectory, "status" | "serving">;
  readonly versions: Pick<Versions, "list" | "read">;
}

type Contents = ReadonlyMap<string, Uint8Array>;

export function createPluginSources({ platform, service, directory, versions }: PluginSourcesOptions): PluginSources {
  const find = (plugin: string): PluginStatus | undefined => {
    const named = directory.status().filter((status) => (status.name ?? status.folder) === plugin);
    return named.find((status) => directory.serving(status.directory) !== undefined) ?? named[0];
  };

  /** Reads what the folder holds now, through the same checks as a load. */
  async function inFolder({ directory: path }: PluginStatus): Promise<{ readonly digest: string; readonly files: Contents } | undefined> {
    const slash = path.lastIndexOf("/");
    const read = await readFolder(platform, { root: path.slice(0, slash), rootIndex: 0, folder: path.slice(slash + 1) });
    return read.kind === "read" ? read : undefined;
  }

  async function listed(plugin: string): Promise<readonly SourceVersion[] | undefined> {
    const status = find(plugin);
    if (status === undefined) return undefined;
    const serving = directory.serving(status.directory);
    const folder = await inFolder(status);
    const kept = await versions.list(plugin);
    const found: readonly SourceVersion[] = [
      ...(serving ? [{ digest: serving.digest, version: serving.manifest.version, state: "serving" as const }] : []),
      ...(folder ? [{ digest: folder.digest, ...versionIn(folder.files), state: "folder" as const }] : []),
      ...kept.map(({ digest, version }) => ({ digest, version, state: "kept" as const })),
    ];
    return found.filter(({ digest }, index) => found.findIndex((other) => other.digest === digest) === index);
  }

  async function contentsOf(plugin: string, digest?: string): Promise<Contents | undefined> {
    const status = find(plugin);
    if (status === undefined) return undefined;
    const serving = directory.serving(status.directory);
    if (serving !== undefined && (digest === undefined || serving.digest === digest)) return serving.files;
    const folder = await inFolder(status);
    if (folder !== undefined && (digest === undefined || folder.digest === digest)) return folder.files;
    const isKept = digest !== undefined && (await versions.list(plugin)).some((note) => note.digest === digest);
    return isKept ? (await versions.read(plugin, digest))?.files : undefined;
  }

  return {
    versions: listed,
    async files(plugin, digest) {
      const contents = await contentsOf(plugin, digest);
      return contents && [...contents].map(([path, { length: bytes }]) => ({ path, bytes })).toSorted(manifestFirst);
    },
    async text(plugin, path, digest) {
      const bytes = (await contentsOf(plugin, digest))?.get(path);
      if (bytes === undefined) return undefined;
      const text = toText(bytes.subarray(0, MAX_SOURCE_BYTES), bytes.length > MAX_SOURCE_BYTES);
      return { path, bytes: bytes.length, ...(text !== undefined && { text }) };
    },
    async diff(plugin, from, to) {
      const [before, after] = [await contentsOf(plugin, from), await contentsOf(plugin, to)];
      if (before === undefined || after === undefined) return undefined;
      const paths = [...new Set([...before.keys(), ...after.keys()])].map((path) => ({ path })).toSorted(manifestFirst);
      const compare = diffBy(service, plugin);
      const changes: SourceChange[] = [];
      for (const { path } of paths) {
        const [old, now] = [before.get(path), after.get(path)];
        if (old !== undefined && now !== undefined && (await isSame(old, now))) continue;
        const sides = [sideOf("a", path, old), sideOf("b", path, now)] as const;
        const diff = changes.length < MAX_DIFFS ? await compare(...sides) : undefined;
        changes.push({
          ...{ path, kind: old === undefined ? "added" : now === undefined ? "removed" : "changed" },
          ...(old && { before: old.length }),
          ...(now && { after: now.length }),
          ...(diff !== undefined && { diff }),
        });
      }
      return changes;
    },
  };
}

function sideOf(mark: string, path: string, bytes: Uint8Array | undefined): { readonly label: string; readonly bytes: Uint8Array } {
  return bytes === undefined ? { label: "/dev/null", bytes: new Uint8Array() } : { label: `${mark}/${path}`, bytes };
}

function manifestFirst(one: { readonly path: string }, other: { readonly path: string }): number {
  return Number(other.path === MANIFEST) - Number(one.path === MANIFEST) || compareText(one.path, other.path);
}

/** Compares hashes, which are made on another thread: a file may have 32 MB. */
async function isSame(one: Uint8Array, other: Uint8Array): Promise<boolean> {
  const hashOf = (bytes: Uint8Array): Promise<string> => digestFiles(new Map([["", bytes]]));
  return one.length === other.length && (await hashOf(one)) === (await hashOf(other));
}

/** Returns undefined for bytes that are not UTF-8 or contain NUL. @param isCut the last character may be incomplete */
function toText(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return text.includes("\0") ? undefined : text;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The manifest was not checked: only its version is taken, as text. */
function versionIn(files: Contents): { readonly version?: string } {
  const bytes = files.get(MANIFEST);
  const text = bytes && toText(bytes, false);
  const found = text === undefined ? undefined : /"version"\s*:\s*"([^"\\]{1,64})"/u.exec(text)?.[1];
  return found === undefined ? {} : { version: found };
}
