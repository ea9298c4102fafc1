/** Which implementation of the platform fits this process. */

import { createDenoPlatform } from "./deno.ts";
import { createNodePlatform, type PlatformOptions } from "./node.ts";
import type { Platform } from "./platform.ts";

/** The platform of the runtime that this is. */
export function currentPlatform(options: PlatformOptions = {}): Platform {
  return "Deno" in globalThis ? createDenoPlatform(options) : createNodePlatform(options);
}
