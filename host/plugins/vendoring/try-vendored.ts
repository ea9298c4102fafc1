/** Loads bundled packages in the sandbox, to check that a plugin can import them. */

import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { createSandbox } from "../../../sandbox/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import { sha256Hex } from "../../primitives/digest.ts";
import { VENDOR_FOLDER } from "../folder/vendored.ts";

/** A package, and its bundled file without ".js". */
interface TriedPackage {
  readonly target: string;
  readonly output: string;
}

/** Imports each package in the sandbox and reads its exports. @returns why some do not load; undefined if all do. */
export async function tryVendored(
  platform: Pick<Platform, "workers" | "log">,
  packages: readonly TriedPackage[],
  vendored: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const encoder = new TextEncoder();
  const files = [...vendored].map(([file, text]): [string, Uint8Array] => [VENDOR_FOLDER + file, encoder.encode(text)]);
  const sandbox = createSandbox(platform.workers, { maximumWorkers: 1, onDefect: (message) => platform.log.write("error", message) });
  const failed: string[] = [];
  try {
    for (const { target, output } of packages) {
      const main = `import * as all from ${JSON.stringify(`./${VENDOR_FOLDER}${output}.js`)};\nfor (const name of Object.keys(all)) void all[name];\n`;
      const loaded = await sandbox.load({
        name: output,
        digest: await sha256Hex(JSON.stringify([main, ...vendored])),
        files: new Map([...files, [MAIN, encoder.encode(main)]]),
        modules: new Map([[MAIN, []]]),
        memoryBytes: DEFAULT_LIMITS.memoryBytes,
        loadMs: DEFAULT_LIMITS.loadMs,
      });
      if (!loaded.ok) failed.push(`"${target}" does not load in a plugin: ${loaded.fault.message}`);
    }
  } finally {
    await sandbox.close();
  }
  return failed.length === 0 ? undefined : failed.join("; ");
}

const MAIN = "main.js";
