/** Files of a few earlier versions of each plugin, in `.bascule/versions/`: quarantine and rollback use them (SPEC H6, H10). */

import { isJsonArray, isJsonObject, parseJson } from "../../../manifests/mod.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import type { Platform } from "../../platform/platform.ts";
import { refuseLinks } from "../../project/refuse-links.ts";
import { type FolderSnapshot, readFolder } from "../folder/read.ts";
import { SIGNATURE_FILE } from "../folder/signature.ts";
import type { PluginVersion } from "../../tools/tool.ts";

/** A kept version. */
interface VersionNote {
  readonly digest: string;
  readonly version: string;
}

/** Plugin names and hashes are safe as folder names. */
export interface Versions {
  /** Newest first, by the time of loading. */
  list(plugin: string): Promise<readonly VersionNote[]>;
  /** Puts the version first; drops the oldest ones above the bound. */
  save(version: PluginVersion): Promise<void>;
  /** Reads a version; undefined if it is not kept, or was modified. */
  read(plugin: string, digest: string): Promise<FolderSnapshot | undefined>;
  /** Forgets all versions after this one. */
  dropNewer(plugin: string, digest: string): Promise<void>;
  /** Forgets all versions of the plugin. */
  forget(plugin: string): Promise<void>;
}

const MAX_VERSIONS = 5;
/** Kept whatever their size: the active version and the one before it. */
const MIN_VERSIONS = 2;
const MAX_BYTES = 32 * 1024 * 1024;
const INDEX = "versions.json";
const INDEX_BYTES = 64 * 1024;
const OWNER_ONLY = 0o600;
/** Names that may be deleted beside the index: versions, and remains of an interrupted write. */
const OWN_NAME = /^(?:[0-9a-f]{64}|\.new|\..+\.tmp)$/;

/** @param folder absolute; need not exist */
export function createVersions(platform: Pick<Platform, "files" | "guarded">, folder: string): Versions {
  const { files } = platform;
  const home = (plugin: string): string => `${folder}/${plugin}`;

  async function list(plugin: string): Promise<readonly KeptNote[]> {
    const bytes = await orUndefined(files.readBytes(`${home(plugin)}/${INDEX}`, INDEX_BYTES));
    return bytes === undefined ? [] : parseIndex(new TextDecoder().decode(bytes));
  }

  async function write(plugin: string, notes: readonly KeptNote[]): Promise<void> {
    await files.writeAtomic(`${home(plugin)}/${INDEX}`, `${JSON.stringify(notes, undefined, 2)}\n`, OWNER_ONLY);
    const kept = new Set(notes.map(({ digest }) => digest));
    for (const { name } of await files.list(home(plugin)))
      if (OWN_NAME.test(name) && !kept.has(name)) await files.remove(`${home(plugin)}/${name}`);
  }

  const checkLinks = (plugin: string): Promise<void> => refuseLinks(files, [folder, home(plugin)], "no version is kept or deleted there");

  return {
    list,
    async save(version) {
      const { name: plugin, digest, manifest } = version;
      await checkLinks(plugin);
      const before = await list(plugin);
      const place = `${home(plugin)}/${digest}`;
      const isKept = (await files.stat(place)) !== undefined;
      if (isKept && before[0]?.digest === digest) return;
      if (!isKept) await writeVersion(files, `${home(plugin)}/.new`, place, version);
      const bytes = [...version.files.values()].reduce((total, content) => total + content.length, 0);
      const rest = before.filter((note) => note.digest !== digest);
      await write(plugin, bounded([{ digest, version: manifest.version, bytes }, ...rest]));
    },
    async read(plugin, digest) {
      const state = await readFolder(platform, { root: home(plugin), rootIndex: 0, folder: digest });
      return state.kind === "read" && state.digest === digest ? state : undefined;
    },
    async dropNewer(plugin, digest) {
      await checkLinks(plugin);
      const notes = await list(plugin);
      const index = notes.findIndex((note) => note.digest === digest);
      if (index > 0) await write(plugin, notes.slice(index));
    },
    async forget(plugin) {
      await checkLinks(plugin);
      await files.remove(home(plugin));
    },
  };
}

interface KeptNote extends VersionNote {
  readonly bytes: number;
}

/** Writes beside the final place, then renames. */
async function writeVersion(files: Platform["files"], draft: string, place: string, version: PluginVersion): Promise<void> {
  await files.remove(draft);
  const folders = new Set([draft, ...[...version.files.keys()].map((path) => `${draft}/${path}`.replace(/\/[^/]*$/u, ""))]);
  for (const folder of folders) await files.makeDirectory(folder);
  for (const [path, bytes] of version.files) await files.writeAtomic(`${draft}/${path}`, bytes, OWNER_ONLY);
  if (version.signedBy) await files.writeAtomic(`${draft}/${SIGNATURE_FILE}`, version.signedBy.text, OWNER_ONLY);
  await files.rename(draft, place);
}

function bounded(notes: readonly KeptNote[]): readonly KeptNote[] {
  let total = 0;
  return notes.filter(({ bytes }, index) => {
    total += bytes;
    return index < MIN_VERSIONS || (index < MAX_VERSIONS && total <= MAX_BYTES);
  });
}

/** Ignores invalid notes: versions are verified by their own hashes. */
function parseIndex(text: string): readonly KeptNote[] {
  const parsed = parseJson(text, { maxBytes: INDEX_BYTES, maxDepth: 4 });
  if (!parsed.ok || !isJsonArray(parsed.value.value)) return [];
  return parsed.value.value.slice(0, MAX_VERSIONS).flatMap((note) => {
    const { digest, version, bytes } = isJsonObject(note) ? note : {};
    const isNote = typeof digest === "string" && /^[0-9a-f]{64}$/.test(digest) && typeof version === "string" && typeof bytes === "number";
    return isNote ? [{ digest, version, bytes }] : [];
  });
}
