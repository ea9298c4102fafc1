/**
 * The platform on Deno: Node's implementation on Deno's `node:` modules.
 *
 * The assumptions of the guarded files hold on Deno and are checked by the same conformance suite: descriptors of `node:fs` are the
 * system's own, `O_PATH` passes through, `statfs` reports the file system's type. On Deno `process.hrtime` counts from each worker's start,
 * which is why no clock here uses it.
 */

import { assemble, type PlatformOptions } from "./node.ts";
import type { Platform } from "./platform.ts";

export function createDenoPlatform(options: PlatformOptions = {}): Platform {
  return assemble("deno", options);
}
