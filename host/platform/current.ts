/** Chooses the platform implementation for this process. */

import { createDenoPlatform } from "./deno.ts";
import { createNodePlatform, type PlatformOptions } from "./node.ts";
import type { Platform } from "./platform.ts";

/** Creates the platform of the current runtime. */
export function currentPlatform(options: PlatformOptions = {}): Platform {
  return "Deno" in globalThis ? createDenoPlatform(options) : createNodePlatform(options);
}
