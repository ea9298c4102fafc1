/** Chooses the platform implementation for this process. */

import type { PlatformOptions } from "./client.ts";
import { createDenoPlatform } from "./deno.ts";
import { createNodePlatform } from "./node.ts";
import type { ClientPlatform, Platform } from "./platform.ts";

/** Creates the platform of the current runtime. @param client the part that exists already */
export function currentPlatform(options: PlatformOptions = {}, client?: ClientPlatform): Platform {
  return "Deno" in globalThis ? createDenoPlatform(options, client) : createNodePlatform(options, client);
}
