/** Takes archives apart on the service thread: what is in them, and how large it becomes, is their author's (SPEC LV2). */

import { type Service, ServiceError } from "../service/service.ts";
import type { ArchiveFile } from "./archive-entry.ts";
import { PackageError } from "./package-error.ts";

/** Every regular file of an archive. @throws {PackageError} */
export type Unpack = (bytes: Uint8Array) => Promise<readonly ArchiveFile[]>;

export function unpackBy(service: Service): Unpack {
  return async (bytes) => {
    // Of its own: a buffer that others share cannot be moved.
    const own = new Uint8Array(bytes);
    try {
      return await service.run("archive.read", own, { owner: "installing", moved: [own.buffer] });
    } catch (error) {
      throw error instanceof ServiceError && error.name === "PackageError" ? new PackageError(error.message) : error;
    }
  };
}
