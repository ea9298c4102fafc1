/** Detects whether a file changed without reading it. */

import type { FileInfo } from "../platform/platform.ts";

/** A file's signature, compared to detect changes. */
export interface FileSign {
  readonly signature: string;
  /** True if the file was so new that the next write may leave the same signature, because time stamps advance in steps. */
  readonly isRacy: boolean;
}

const RACY_MS = 100;

/** @param now milliseconds since the epoch */
export function signOf({ device, inode, size, modifiedMs }: FileInfo, now: number): FileSign {
  return { signature: JSON.stringify([device, inode, size, modifiedMs]), isRacy: Math.abs(now - modifiedMs) < RACY_MS };
}
