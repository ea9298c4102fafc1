/** All ambient authority of the host, and which implementation fits this process. */

import { createDenoPlatform } from "./deno.ts";
import { createNodePlatform, type PlatformOptions } from "./node.ts";
import type { Platform } from "./platform.ts";

export { createDenoPlatform } from "./deno.ts";
export type { LogOptions } from "./log.ts";
export { createMemoryPlatform, type MemoryPlatform, type MemoryPlatformOptions } from "./memory.ts";
export { createNodePlatform, type PlatformOptions } from "./node.ts";

/** The platform of the runtime that this is. */
export function currentPlatform(options: PlatformOptions = {}): Platform {
  return "Deno" in globalThis ? createDenoPlatform(options) : createNodePlatform(options);
}
