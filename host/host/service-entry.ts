/** Threads that run the tasks of `service-tasks.ts`. */

import type { Platform } from "../platform/platform.ts";
import type { ServiceConnection } from "../platform/threads/service-types.ts";

/** `tsc` rewrites imports and no URLs, so the extension is this file's own. */
const ENTRY: URL = new URL(`./service-main.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);

/** For `createService`; undefined where the platform has no such threads. */
export function serviceThreads({ services }: Pick<Platform, "services">): { start(): ServiceConnection } | undefined {
  return services && { start: () => services.start(ENTRY) };
}
