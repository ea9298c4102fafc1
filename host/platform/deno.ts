/**
 * The platform on Deno: Node's implementation on Deno's `node:` modules.
 *
 * The assumptions of the guarded files hold on Deno and are checked by the same conformance suite: descriptors of `node:fs` are the
 * system's own, `O_PATH` passes through, `statfs` reports the file system's type. On Deno `process.hrtime` counts from each worker's start,
 * which is why no clock here uses it.
 */

import { createClientPlatform, type PlatformOptions } from "./client.ts";
import { assemble } from "./node.ts";
import type { ClientPlatform, Platform } from "./platform.ts";

/** @param client the part that exists already */
export function createDenoPlatform(options: PlatformOptions = {}, client: ClientPlatform = createClientPlatform(options)): Platform {
  return assemble({ ...client, name: "deno" }, options);
}
