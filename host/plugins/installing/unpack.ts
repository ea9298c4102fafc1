/** Takes archives apart on the service thread: what is in them, and how large it becomes, is their author's (SPEC LV2). */

import { type Service, ServiceError } from "../../primitives/service/service.ts";
import type { ArchiveWish, Unpack } from "./archive-entry.ts";
import { UNPACK_ARCHIVE } from "./unpack-task.ts";
import { PackageError } from "./package-error.ts";

export function unpackBy(service: Service, as: ArchiveWish["as"] = "plugin"): Unpack {
  return async (bytes) => {
    // Of its own: a buffer that others share cannot be moved.
    const own = new Uint8Array(bytes);
    try {
      return await service.run(UNPACK_ARCHIVE, { bytes: own, as }, { owner: "installing", moved: [own.buffer] });
    } catch (error) {
      throw error instanceof ServiceError && error.name === "PackageError" ? new PackageError(error.message) : error;
    }
  };
}
