/** Plugin folders on disk, for rows that measure the whole host. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface PluginFolder extends AsyncDisposable {
  /** The project's folder, which contains `plugins/`. */
  readonly path: string;
  /** Writes or overwrites a plugin with one tool for each export, `<name>_<export>`; the code is written last. */
  write(name: string, source: string, exports?: readonly string[]): Promise<void>;
}

export async function temporaryPlugins(): Promise<PluginFolder> {
  const path = await mkdtemp(join(tmpdir(), "bascule-bench-"));
  return {
    path,
    async write(name, source, exports = ["echo"]) {
      const folder = join(path, "plugins", name);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "manifest.json"), manifestText(name, exports));
      await writeFile(join(folder, "main.ts"), source);
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

function manifestText(name: string, exports: readonly string[]): string {
  return JSON.stringify({
    schemaVersion: "1.0",
    name,
    version: "1.0.0",
    description: "Echoes, for measuring",
    tools: exports.map((one) => ({
      name: `${name}_${one}`,
      export: one,
      description: "Answers from its arguments",
      inputSchema: { type: "object" },
      sideEffects: [],
    })),
  });
}
