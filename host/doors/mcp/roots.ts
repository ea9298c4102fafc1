/** Folders that a legacy client has open. They only narrow: a call may read and write in them as far as its grant allows (SPEC C2). */

import { normalizePath } from "../../../manifests/mod.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import type { Files } from "../../platform/platform.ts";

const MAX_ROOTS = 100;
/** Characters that make a path a pattern in a permission. */
const PATTERN = /[*?[\]{}!]/;

/**
 * @param uris of the client's list
 * @returns the paths as written and as resolved; undefined if the list is empty, which narrows nothing. URIs that are not paths on
 * this machine are left out: a list of only such URIs allows no folder.
 */
export async function foldersOf(uris: readonly string[], files: Pick<Files, "realPath">): Promise<readonly string[] | undefined> {
  if (uris.length === 0) return undefined;
  const written = uris.slice(0, MAX_ROOTS).flatMap((uri) => pathOf(uri) ?? []);
  const real = await Promise.all(written.map((path) => resolved(path, files)));
  return [...new Set([...written, ...real])].filter((path) => !PATTERN.test(path));
}

function pathOf(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (url === null || url.protocol !== "file:" || (url.host !== "" && url.host !== "localhost")) return undefined;
  try {
    const path = decodeURIComponent(url.pathname);
    return path.includes("\0") ? undefined : normalizePath(path, "/");
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

async function resolved(path: string, files: Pick<Files, "realPath">): Promise<string> {
  return (await orUndefined(files.realPath(path))) ?? path;
}
