/** `node:url`: the web's classes, and path conversion. */

import { sandbox } from "./globals.ts";

export const URL: typeof sandbox.URL = sandbox.URL;
export const URLSearchParams: object = sandbox.URLSearchParams;

export function fileURLToPath(url: string | { readonly href: string }): string {
  const { protocol, hostname, pathname } = new URL(typeof url === "string" ? url : url.href);
  if (protocol !== "file:") throw new TypeError("The URL must be of scheme file");
  if (hostname !== "") throw new TypeError('File URL host must be "localhost" or empty on linux');
  if (/%2f/i.test(pathname)) throw new TypeError("File URL path must not include encoded / characters");
  return decodeURIComponent(pathname);
}

export function pathToFileURL(path: string): { readonly href: string } {
  return new URL(`file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`);
}
