/** Proofs for tests of guarded files: a grant of whole folders, as `checkPath` would make it. */

import { type CheckedPath, type CheckedProgram, type CheckedUrl, provePath, proveProgram, proveUrl } from "../../host/platform/proof.ts";

/** A proof for `path` that permits what lies in one of `folders`. */
export function checkedPath(path: string, ...folders: readonly string[]): CheckedPath<"read" | "write"> {
  return provePath({
    path,
    written: path,
    permits: (resolved) => folders.some((folder) => resolved === folder || resolved.startsWith(`${folder}/`)),
  });
}

/** A proof for a request, with every address permitted unless said otherwise. */
export function checkedUrl(url: string, method: string, permitsAddress: (address: string) => boolean = () => true): CheckedUrl {
  return proveUrl({ url, method, permitsAddress });
}

/** A proof for a program, whatever the grant. */
export function checkedProgram(path: string): CheckedProgram {
  return proveProgram({ path, written: path });
}
