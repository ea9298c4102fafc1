/**
 * Stores recordings in `.bascule/calls/`, beside the files of their plugins, so that a call can be replayed after its plugin was edited
 * (SPEC B8, AU3).
 *
 * File names hold time, call, version and size. So making room opens no file, and several hosts of one project keep the same bounds.
 */

import { createMutex } from "../../platform/mutex.ts";
import { unlessMissing } from "../../platform/or-undefined.ts";
import type { Platform } from "../../platform/platform.ts";
import { isJsonObject } from "../../../manifests/mod.ts";
import { digestFiles, toFileName } from "../../primitives/digest.ts";
import { tryJson } from "../../primitives/json/json-text.ts";
import { fromBase64 } from "./base64.ts";
import { type Recording, MAX_RECORDING_BYTES } from "../../call/recording.ts";
import { filesBytes } from "./recording-file.ts";

export interface RecordingStore {
  /** Absolute path. */
  readonly folder: string;
  /** Stores a recording, and removes the oldest ones above the bounds. Rejects if the file cannot be written. */
  keep(
    recording: Pick<Recording, "callId" | "recordedMs" | "digest">,
    file: Uint8Array,
    files: ReadonlyMap<string, Uint8Array>,
  ): Promise<void>;
  /** Returns the text of a call's recording, or undefined if it is not found. */
  read(callId: string): Promise<string | undefined>;
  /** Returns the ids and times of recorded calls, oldest first. An id that cannot be a file name is returned as its hash. */
  calls(): Promise<readonly { readonly id: string; readonly atMs: number }[]>;
  /** Returns the files of a plugin version, or undefined if they were not kept or do not match the hash. */
  readPlugin(digest: string): Promise<ReadonlyMap<string, Uint8Array> | undefined>;
}

interface RecordingStoreBounds {
  readonly recordings: number;
  /** Total of recordings and plugins. */
  readonly bytes: number;
}

const STORE_BOUNDS: RecordingStoreBounds = Object.freeze({ recordings: 200, bytes: 128 * 1024 * 1024 });
/** A larger plugin is not kept: its calls can be replayed only while its folder is unchanged. */
const MAX_PLUGIN_BYTES = 16 * 1024 * 1024;
const OWNER_ONLY = 0o600;
const RECORDING_NAME = /^(\d{1,16})\.([0-9a-z-]{1,64})\.([0-9a-f]{1,64})\.(\d{1,12})\.json$/;
const PLUGIN_NAME = /^([0-9a-f]{1,64})\.(\d{1,12})\.json$/;

interface Listed {
  readonly name: string;
  readonly ms: number;
  readonly id: string;
  readonly digest: string;
  readonly bytes: number;
}

/** @param state the project's `.bascule` folder */
export function createRecordingStore(
  { files, slices }: Pick<Platform, "files" | "slices">,
  state: string,
  bounds: RecordingStoreBounds = STORE_BOUNDS,
): RecordingStore {
  const folder = `${state}/calls`;
  const pluginFolder = `${folder}/plugins`;
  /** One at a time, because each looks at the files that are there. */
  const inTurn = createMutex();

  async function names(path: string): Promise<readonly string[]> {
    const entries = await files.list(path).catch(unlessMissing([]));
    return entries.filter(({ kind }) => kind === "file").map(({ name }) => name);
  }

  /** Oldest first. */
  async function recordings(): Promise<readonly Listed[]> {
    const listed = (await names(folder)).flatMap((name) => {
      const [, ms = "", id = "", digest = "", bytes = ""] = RECORDING_NAME.exec(name) ?? [];
      return id === "" ? [] : [{ name, ms: Number(ms), id, digest, bytes: Number(bytes) }];
    });
    return listed.toSorted((left, right) => left.ms - right.ms || (left.name < right.name ? -1 : 1));
  }

  async function plugins(): Promise<readonly Omit<Listed, "ms" | "id">[]> {
    return (await names(pluginFolder)).flatMap((name) => {
      const [, digest = "", bytes = ""] = PLUGIN_NAME.exec(name) ?? [];
      return digest === "" ? [] : [{ name, digest, bytes: Number(bytes) }];
    });
  }

  async function keepPlugin(digest: string, contents: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const size = [...contents.values()].reduce((total, { length }) => total + length, 0);
    if (size > MAX_PLUGIN_BYTES || (await plugins()).some((plugin) => plugin.digest === digest)) return;
    const file = await slices.run(filesBytes(contents));
    await files.makeDirectory(pluginFolder);
    await files.writeAtomic(`${pluginFolder}/${digest}.${file.length}.json`, file, OWNER_ONLY);
  }

  /** Removes the oldest recordings, then the plugins without a recording. */
  async function makeRoom(): Promise<void> {
    const all = await recordings();
    const packs = await plugins();
    const sizes = new Map(packs.map(({ digest, bytes }) => [digest, bytes]));
    const kept: Listed[] = [];
    const digests = new Set<string>();
    let bytes = 0;
    for (const recording of all.toReversed()) {
      bytes += recording.bytes + (digests.has(recording.digest) ? 0 : (sizes.get(recording.digest) ?? 0));
      if (kept.length >= bounds.recordings || bytes > bounds.bytes) break;
      digests.add(recording.digest);
      kept.push(recording);
    }
    for (const { name } of all.slice(0, all.length - kept.length)) await files.remove(`${folder}/${name}`);
    for (const { name, digest } of packs) if (!digests.has(digest)) await files.remove(`${pluginFolder}/${name}`);
  }

  return {
    folder,
    keep(recording, file, contents) {
      // A failed write must not fail the next one.
      return inTurn(async () => {
        await files.makeDirectory(folder);
        await keepPlugin(recording.digest, contents);
        const name = `${recording.recordedMs}.${await toFileName(recording.callId)}.${recording.digest}.${file.length}.json`;
        await files.writeAtomic(`${folder}/${name}`, file, OWNER_ONLY);
        await makeRoom();
      });
    },
    async read(callId) {
      const id = await toFileName(callId);
      const found = (await recordings()).findLast((recording) => recording.id === id);
      if (found === undefined) return undefined;
      const bytes = await files.readBytes(`${folder}/${found.name}`, MAX_RECORDING_BYTES * 4).catch(unlessMissing(undefined));
      return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
    },
    calls: async () => (await recordings()).map(({ id, ms }) => ({ id, atMs: ms })),
    async readPlugin(digest) {
      const found = (await plugins()).find((plugin) => plugin.digest === digest);
      const text = found && (await files.readText(`${pluginFolder}/${found.name}`).catch(unlessMissing(undefined)));
      const contents = text === undefined ? undefined : toFiles(text);
      return contents !== undefined && (await digestFiles(contents)) === digest ? contents : undefined;
    },
  };
}

function toFiles(text: string): ReadonlyMap<string, Uint8Array> | undefined {
  const value = tryJson(text);
  if (value === undefined || !isJsonObject(value)) return undefined;
  const contents = new Map<string, Uint8Array>();
  for (const [path, base64] of Object.entries(value)) {
    const bytes = typeof base64 === "string" ? fromBase64(base64) : undefined;
    if (bytes === undefined) return undefined;
    contents.set(path, bytes);
  }
  return contents;
}
