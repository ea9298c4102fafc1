/** All ambient authority of the host. */

export { currentPlatform } from "./current.ts";
export { createDenoPlatform } from "./deno.ts";
export type { LogOptions } from "./log.ts";
export { createMemoryPlatform, type MemoryPlatform, type MemoryPlatformOptions } from "./memory/memory.ts";
export { createNodePlatform } from "./node.ts";
export type { PlatformOptions } from "./client.ts";
