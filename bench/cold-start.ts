/** `cold_start`: milliseconds from process start to the first tool answered, with 50 plugins. */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Bench, median } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";
import { temporaryPlugins } from "./plugin-folder.ts";

const PLUGINS = 50;
const ROUNDS = 7;

export const coldStart: Bench = {
  id: "cold_start",
  what: `ms from process start to the first tool answered, ${PLUGINS} plugins`,
  target: { atMost: 300 },
  async run() {
    await using project = await temporaryPlugins();
    for (let index = 0; index < PLUGINS; index++) await project.write(`p${index}`, PLUGIN_2KB);
    const bin = fileURLToPath(new URL("../bin/bascule.mjs", import.meta.url));
    const samples: number[] = [];
    // The first start fills the caches.
    for (let round = 0; round <= ROUNDS; round++) {
      const begin = performance.now();
      await answered(bin, project.path);
      if (round > 0) samples.push(performance.now() - begin);
    }
    return { id: "cold_start", value: median(samples), unit: "ms", baseline: null, ratio: null };
  },
};

/** Resolves at the first byte of the answer: how the process then ends is not part of the number. */
function answered(bin: string, cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, "call", "p0_echo", "a=1"], { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
    child.stdout.once("data", () => resolve());
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`The call failed: ${errors}`))));
  });
}
