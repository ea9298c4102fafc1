/** Creates proofs for tests, without the checks of a real grant. */

import { type CheckedPath, type CheckedProgram, type CheckedUrl, provePath, proveProgram, proveUrl } from "../../host/platform/proof.ts";

/** Creates a proof for `path` that permits everything in `folders`. */
export function checkedPath(path: string, ...folders: readonly string[]): CheckedPath<"read" | "write"> {
  return provePath({
    path,
    written: path,
    permits: (resolved) => folders.some((folder) => resolved === folder || resolved.startsWith(`${folder}/`)),
  });
}

/** Creates a proof for a request. By default every address is permitted. */
export function checkedUrl(url: string, method: string, permitsAddress: (address: string) => boolean = () => true): CheckedUrl {
  return proveUrl({ url, method, permitsAddress });
}

/** Creates a proof for any program. */
export function checkedProgram(path: string): CheckedProgram {
  return proveProgram({ path, written: path });
}
