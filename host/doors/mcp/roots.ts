/** The folders that a client of the older revisions has open. They only narrow: a call reads and writes in them, where it is granted to (SPEC C2). */

import { normalizePath } from "../../../manifests/mod.ts";
import { FileError, type Files } from "../../platform/platform.ts";

const MAX_ROOTS = 100;
/** In a permission these make a pattern of a path. */
const PATTERN = /[*?[\]{}!]/;

/**
 * @param uris as the client lists them
 * @returns their paths as written and as resolved; undefined if the client lists none, which says nothing. What is no
 * folder of this machine is left out, so that a list of such ones alone is no folder at all.
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
  try {
    return await files.realPath(path);
  } catch (error) {
    if (error instanceof FileError) return path;
    throw error;
  }
}
