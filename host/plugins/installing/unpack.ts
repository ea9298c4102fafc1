/** Unpacks archives on the service thread, because their content and size are not trusted (SPEC LV2). */

import { type Service, ServiceError } from "../../primitives/service/service.ts";
import type { ArchiveRequest, Unpack } from "./archive-entry.ts";
import { UNPACK_ARCHIVE } from "./unpack-task.ts";
import { PackageError } from "./package-error.ts";

export function unpackBy(service: Service, as: ArchiveRequest["as"] = "plugin"): Unpack {
  return async (bytes) => {
    // Copies the bytes: a shared buffer cannot be transferred.
    const own = new Uint8Array(bytes);
    try {
      return await service.run(UNPACK_ARCHIVE, { bytes: own, as }, { owner: "installing", moved: [own.buffer] });
    } catch (error) {
      throw error instanceof ServiceError && error.name === "PackageError" ? new PackageError(error.message) : error;
    }
  };
}
