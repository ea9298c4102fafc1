/** Writes plugins to disk. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const HOSTILE = "hostile";

export interface PluginFiles {
  readonly main: string;
  /** Members added to the default manifest. */
  readonly manifest?: object;
  /** Further files, with their sizes in bytes. */
  readonly files?: Readonly<Record<string, number>>;
}

/** Returns the exported functions of a module. */
export function toolsOf(main: string): readonly string[] {
  return [...main.matchAll(/^export (?:const|(?:async )?function\*?) (\w+)/gm)].map(([, name = ""]) => name);
}

export async function writePlugin(root: string, name: string, { main, manifest = {}, files = {} }: PluginFiles): Promise<void> {
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  const whole = {
    schemaVersion: "1.0",
    name,
    version: "1.0.0",
    description: "Of the liveness suite",
    permissions: { read: ["$workspace"], write: ["$workspace"], net: true },
    ...manifest,
    tools: toolsOf(main).map((tool) => ({
      ...{ name: tool, description: "Of the liveness suite", inputSchema: { type: "object" } },
      sideEffects: ["read", "write", "network"],
    })),
  };
  for (const [path, bytes] of Object.entries(files)) await writeFile(join(folder, path), new Uint8Array(bytes).fill(0x61));
  await writeFile(join(folder, "main.ts"), main);
  await writeFile(join(folder, "manifest.json"), JSON.stringify(whole));
}
