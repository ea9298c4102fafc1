/**
 * Plugin images as files, so that a host that starts again loads nothing that it loaded before.
 *
 * The name says all that an image depends on: the base image, the plugin's own bytes and what loading makes of them, and
 * what a plugin may look at while it loads: the time zone, and the runtime's own URLs, encodings and compression. Limits are
 * no part of it: an image that fits is the same under any. Whatever is wrong with a file, the plugin is loaded anew.
 */

import { cacheFileName, seal, unseal } from "./cache-file.ts";
import { type BaseImage, type Image, isImage } from "./image.ts";
import type { PluginSource } from "../invocation.ts";
import { LOADER } from "../loading/loader.gen.ts";
import type { WorkerLauncher } from "../worker/port.ts";

export interface PluginCache {
  /** Undefined if it is not there, is damaged, or needs more memory than the plugin may have now. */
  find(source: PluginSource): Promise<Image | undefined>;
  /** A cache that cannot be written is no error. */
  keep(source: PluginSource, image: Image): Promise<void>;
}

const encoder = new TextEncoder();
const HEAD_BYTES = 8;
/** Larger images are not kept: hashing and copying one would hold up the host's thread for longer than loading again. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;

/** `base` answers undefined as long as there is no base image; nothing is found or kept then. */
export function createPluginCache(
  launcher: Pick<WorkerLauncher, "readCache" | "writeCache" | "timeZone" | "runtime">,
  base: () => BaseImage | undefined,
): PluginCache {
  let baseHash: Promise<string> | undefined;
  /** Files are written one after the other: hashing needs a copy of each. */
  let writing: Promise<unknown> = Promise.resolve();

  async function nameOf({ files, modules }: PluginSource, image: BaseImage): Promise<string> {
    baseHash ??= cacheFileName([new Uint8Array(image.bytes)]);
    const world = [LOADER, await baseHash, launcher.timeZone(), launcher.runtime];
    const described = JSON.stringify([...world, [...modules], [...files.keys()]]);
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
      // What one could not be written for is nothing to the next.
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
