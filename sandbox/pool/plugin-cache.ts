/**
 * Plugin images as files, so that a restarted host does not load a plugin again.
 *
 * The file name is a hash of everything an image depends on: the base image, the plugin's files and the loader's version, and what a
 * plugin can observe while it loads: the time zone, and the runtime's URLs, encodings and compression. Limits are not part of it, because
 * an image that fits is the same under any limit. If a file is missing or damaged, the plugin is loaded again.
 */

import { cacheFileName, seal, unseal } from "./cache-file.ts";
import { type BaseImage, type Image, isImage } from "../engine/image.ts";
import type { PluginSource } from "../wire/invocation.ts";
import { LOADER } from "../loading/loader.gen.ts";
import type { WorkerLauncher } from "../wire/port.ts";

interface PluginCache {
  /** Returns undefined if the image is missing, damaged, or larger than the plugin's current memory limit. */
  find(source: PluginSource): Promise<Image | undefined>;
  /** Writes an image. A read-only cache is not an error. */
  keep(source: PluginSource, image: Image): Promise<void>;
}

const encoder = new TextEncoder();
const HEAD_BYTES = 8;
/** Maximum image size to store. Hashing and copying a larger one would block the host's thread for longer than loading again. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;

/** Creates the cache. While `base` returns undefined, nothing is found or stored. */
export function createPluginCache(
  launcher: Pick<WorkerLauncher, "readCache" | "writeCache" | "timeZone" | "runtime">,
  base: () => BaseImage | undefined,
): PluginCache {
  let baseHash: Promise<string> | undefined;
  /** Serializes writes, because hashing needs a copy of each file. */
  let writing: Promise<unknown> = Promise.resolve();

  async function nameOf({ files, modules }: PluginSource, image: BaseImage): Promise<string> {
    baseHash ??= cacheFileName([new Uint8Array(image.bytes)]);
    const env = [LOADER, await baseHash, launcher.timeZone(), launcher.runtime];
    const described = JSON.stringify([...env, [...modules], [...files.keys()]]);
    return `plugin-${await cacheFileName([encoder.encode(described), ...files.values()])}`;
  }

  return {
    async find(source) {
      const image = base();
      if (image === undefined) return undefined;
      const file = await launcher.readCache(await nameOf(source, image));
      const contents = file === undefined ? undefined : await unseal(file);
      const found = contents === undefined ? undefined : fromBytes(contents);
      return found !== undefined && found.heapEnd <= source.memoryBytes ? found : undefined;
    },
    keep(source, made) {
      const image = base();
      if (image === undefined || made.pages.byteLength > MAXIMUM_BYTES) return Promise.resolve();
      const mine = writing.then(async () => void (await launcher.writeCache(await nameOf(source, image), await seal(toBytes(made)))));
      // A failed write must not affect the next one.
      writing = mine.catch(() => undefined);
      return mine;
    },
  };
}

function toBytes({ pages, heapEnd }: Image): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + pages.byteLength);
  new DataView(bytes.buffer).setUint32(0, heapEnd);
  bytes.set(new Uint8Array(pages), HEAD_BYTES);
  return bytes;
}

function fromBytes(bytes: Uint8Array): Image | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const pages = new SharedArrayBuffer(bytes.length - HEAD_BYTES);
  new Uint8Array(pages).set(bytes.subarray(HEAD_BYTES));
  const image = { pages, heapEnd: new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) };
  return isImage(image) ? image : undefined;
}
