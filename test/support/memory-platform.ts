/** A memory platform with a workspace, and real workers where a test runs guests. */

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

/** The same with threads that run guests. */
export function memoryPlatformWithWorkers(files: Readonly<Record<string, MemoryEntry>> = {}): MemoryPlatform {
  return memoryPlatform(files, { workers: createWorkerLauncher() });
}

function absolute(files: Readonly<Record<string, MemoryEntry>>): Record<string, MemoryEntry> {
  return Object.fromEntries(Object.entries(files).map(([path, entry]) => [path.startsWith("/") ? path : `${WORKSPACE}/${path}`, entry]));
}
