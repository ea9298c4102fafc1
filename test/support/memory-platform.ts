/** Memory platforms with a workspace, optionally with real workers. */

import {
  createMemoryPlatform,
  type MemoryEntry,
  type MemoryPlatform,
  type MemoryPlatformOptions,
} from "../../host/platform/memory/memory.ts";
import { createWorkerLauncher } from "../../host/platform/threads/workers.ts";

export const WORKSPACE = "/workspace";

/** @param files relative to the workspace, or absolute */
export function memoryPlatform(
  files: Readonly<Record<string, MemoryEntry>> = {},
  options: Omit<MemoryPlatformOptions, "files"> = {},
): MemoryPlatform {
  return createMemoryPlatform({ ...options, files: absolute(files) });
}

/** Creates a memory platform with worker threads that run guests. */
export function memoryPlatformWithWorkers(files: Readonly<Record<string, MemoryEntry>> = {}): MemoryPlatform {
  return memoryPlatform(files, { workers: createWorkerLauncher() });
}

function absolute(files: Readonly<Record<string, MemoryEntry>>): Record<string, MemoryEntry> {
  return Object.fromEntries(Object.entries(files).map(([path, entry]) => [path.startsWith("/") ? path : `${WORKSPACE}/${path}`, entry]));
}
