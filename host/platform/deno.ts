/**
 * The platform on Deno: Node's, by way of Deno's `node:` modules.
 *
 * What the guarded files rely on holds there too and is checked by the same conformance suite: descriptors of `node:fs`
 * are the system's own, `O_PATH` passes through, `statfs` tells the file system's type. `process.hrtime` counts from
 * each worker's start there, which is why no clock of ours uses it.
 */

import { assemble, type PlatformOptions } from "./node.ts";
import type { Platform } from "./platform.ts";

export function createDenoPlatform(options: PlatformOptions = {}): Platform {
  return assemble("deno", options);
}
