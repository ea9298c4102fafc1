/**
 * Plugin images as files, so that a restarted host does not load a plugin again.
 *
 * The file name is a hash of everything an image depends on: the base image, the plugin's files and the loader's version, and what a
 * plugin can observe while it loads: the time zone, and the runtime's URLs, encodings and compression. Limits are not part of it, because
 * an image that fits is the same under any limit. If a file is missing or damaged, the plugin is loaded again.
 */

import { cacheFileName, seal, unseal } from "./cache-file.ts";
import { type BaseImage, type Image, isImage } from "../engine/image.ts";
import type { LoadWarning } from "../wire/fault.ts";
import { isLoadWarnings } from "../wire/messages.ts";
import type { PluginSource } from "../wire/invocation.ts";
import { LOADER } from "../loading/loader.gen.ts";
import type { WorkerLauncher } from "../wire/port.ts";

interface PluginCache {
  /** Returns undefined if the image is missing, damaged, or larger than the plugin's current memory limit. */
  find(source: PluginSource): Promise<CachedImage | undefined>;
  /** Writes an image. A read-only cache is not an error. */
  keep(source: PluginSource, made: CachedImage): Promise<void>;
}

/** An image, and the warnings of the load that made it: they hold for every later start. */
interface CachedImage {
  readonly image: Image;
  readonly warnings: readonly LoadWarning[];
}

const encoder = new TextEncoder();
const HEAD_BYTES = 8;
/** Maximum image size to store. Hashing and copying a larger one would block the host's thread for longer than loading again. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;

/** Creates the cache. While `base` returns undefined, nothing is found or stored. */
export function createPluginCache(
  launcher: Pick<WorkerLauncher, "readCache" | "writeCache" | "sha256" | "timeZone" | "runtime">,
  base: () => BaseImage | undefined,
): PluginCache {
  let baseHash: Promise<string> | undefined;
  /** Serializes writes, because hashing needs a copy of each file. */
  let writing: Promise<unknown> = Promise.resolve();

  async function nameOf({ files, modules }: PluginSource, image: BaseImage): Promise<string> {
    baseHash ??= cacheFileName([new Uint8Array(image.bytes)], launcher.sha256);
    const env = [LOADER, await baseHash, launcher.timeZone(), launcher.runtime];
    const described = JSON.stringify([...env, [...modules], [...files.keys()]]);
    return `plugin-${await cacheFileName([encoder.encode(described), ...files.values()], launcher.sha256)}`;
  }

  return {
    async find(source) {
      const image = base();
      if (image === undefined) return undefined;
      const file = await launcher.readCache(await nameOf(source, image));
      const contents = file === undefined ? undefined : await unseal(file, launcher.sha256);
      const found = contents === undefined ? undefined : fromBytes(contents);
      return found !== undefined && found.image.heapEnd <= source.memoryBytes ? found : undefined;
    },
    keep(source, made) {
      const image = base();
      if (image === undefined || made.image.pages.byteLength > MAXIMUM_BYTES) return Promise.resolve();
      const mine = writing.then(async () => void (await launcher.writeCache(await nameOf(source, image), await seal(toBytes(made)))));
      // A failed write must not affect the next one.
      writing = mine.catch(() => undefined);
      return mine;
    },
  };
}

/** Writes the heap's end, the length of the warnings, the pages, and the warnings as JSON. */
function toBytes({ image: { pages, heapEnd }, warnings }: CachedImage): Uint8Array {
  const text = warnings.length === 0 ? new Uint8Array() : encoder.encode(JSON.stringify(warnings));
  const bytes = new Uint8Array(HEAD_BYTES + pages.byteLength + text.length);
  const head = new DataView(bytes.buffer);
  head.setUint32(0, heapEnd);
  head.setUint32(4, text.length);
  bytes.set(new Uint8Array(pages), HEAD_BYTES);
  bytes.set(text, HEAD_BYTES + pages.byteLength);
  return bytes;
}

function fromBytes(bytes: Uint8Array): CachedImage | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const head = new DataView(bytes.buffer, bytes.byteOffset);
  const end = bytes.length - head.getUint32(4);
  if (end < HEAD_BYTES) return undefined;
  const pages = new SharedArrayBuffer(end - HEAD_BYTES);
  new Uint8Array(pages).set(bytes.subarray(HEAD_BYTES, end));
  const image = { pages, heapEnd: head.getUint32(0) };
  // The file's hash was checked, so the text is what `toBytes` wrote.
  const warnings: unknown = end === bytes.length ? [] : JSON.parse(new TextDecoder().decode(bytes.subarray(end)));
  return isImage(image) && isLoadWarnings(warnings) ? { image, warnings: warnings as readonly LoadWarning[] } : undefined;
}
