/** `unix:/path` and `vsock:cid:port` of Deno's net items. A sandbox can open neither. */

import { normalizePath } from "./permission-path.ts";

const MAX_NUMBER = 4_294_967_295;

/** Returns true for text written as a socket, valid or not. */
export function isSocket(text: string): boolean {
  return text.startsWith("unix:") || text.startsWith("vsock:");
}

/** Returns one text per socket; undefined for anything else. */
export function canonicalSocket(text: string): string | undefined {
  if (text.startsWith("unix:/")) {
    const path = normalizePath(text.slice("unix:".length), "/");
    return path && `unix:${path}`;
  }
  // Text after a second colon is ignored, as in Deno.
  const [, cid, port] = /^vsock:(-1|\+?[0-9]+):(\+?[0-9]+)(?::.*)?$/s.exec(text) ?? [];
  if (cid === undefined || port === undefined || Number(cid) > MAX_NUMBER || Number(port) > MAX_NUMBER) return undefined;
  return `vsock:${cid === "-1" ? MAX_NUMBER : Number(cid)}:${Number(port)}`;
}
