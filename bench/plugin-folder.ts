/** Plugin folders on disk, for rows that measure the whole host. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface PluginFolder extends AsyncDisposable {
  /** The project's folder; `plugins/` is inside. */
  readonly path: string;
  /** Writes or overwrites a plugin with one tool, `<name>_echo`. */
  write(name: string, source: string): Promise<void>;
}

export async function temporaryPlugins(): Promise<PluginFolder> {
  const path = await mkdtemp(join(tmpdir(), "bascule-bench-"));
  return {
    path,
    async write(name, source) {
      const folder = join(path, "plugins", name);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "main.ts"), source);
      await writeFile(join(folder, "manifest.json"), manifestText(name));
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

function manifestText(name: string): string {
  return JSON.stringify({
    schemaVersion: "1.0",
    name,
    version: "1.0.0",
    description: "Echoes, for measuring",
    tools: [
      { name: `${name}_echo`, export: "echo", description: "Gives its arguments back", inputSchema: { type: "object" }, sideEffects: [] },
    ],
  });
}
