/** Whether a file is the one that was read before, without reading it. */

import type { FileInfo } from "../platform/platform.ts";

/** Compared to see that a file changed. */
export interface FileSign {
  readonly signature: string;
  /** The file was so young that the next write could leave the same signature: time stamps advance in steps. */
  readonly isRacy: boolean;
}

const RACY_MS = 100;

/** @param now milliseconds since the epoch */
export function signOf({ device, inode, size, modifiedMs }: FileInfo, now: number): FileSign {
  return { signature: JSON.stringify([device, inode, size, modifiedMs]), isRacy: Math.abs(now - modifiedMs) < RACY_MS };
}
