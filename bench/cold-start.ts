/**
 * `cold_start`: milliseconds from process start to the first tool result, with 50 plugins and warm caches.
 *
 * Runs in a checkout as `npm ci` leaves it: the bundle is rebuilt first, because after an edit `bascule` starts from the sources.
 */

import { spawn } from "node:child_process";
import { BIN, bundleCheckout } from "./cli-start.ts";
import { type Bench, type Measured, median, mustBe } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";
import { temporaryPlugins } from "./plugin-folder.ts";

const PLUGINS = 50;
const ROUNDS = 15;

export const coldStart: Bench = {
  id: "cold_start",
  async run(): Promise<Measured> {
    await using project = await temporaryPlugins();
    for (let index = 0; index < PLUGINS; index++) await project.write(`p${index}`, `${PLUGIN_2KB}\nexport const number = ${index};`);
    await bundleCheckout();
    // The first two starts fill the caches.
    for (let round = 0; round < 2; round++) await answeredMs(project.path);
    const samples: number[] = [];
    for (let round = 0; round < ROUNDS; round++) samples.push(await answeredMs(project.path));
    return { value: median(samples), unit: "ms", baseline: null, ratio: null, note: `fastest ${Math.round(Math.min(...samples))} ms` };
  },
};

/** Measured up to the first byte of output; the end of the process does not count. */
function answeredMs(cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    let elapsedMs = 0;
    let output = "";
    let errors = "";
    const child = spawn(process.execPath, [BIN, "call", "p7_echo", "a=1"], { cwd, stdio: ["ignore", "pipe", "pipe"] });
    child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
    child.stdout.on("data", (text: Buffer) => {
      if (output === "") elapsedMs = performance.now() - begin;
      output += text.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code !== 0) return reject(new Error(`The call failed: ${errors}`));
      try {
        mustBe(JSON.parse(output), { a: 1 });
        resolve(elapsedMs);
      } catch (wrong) {
        reject(wrong instanceof Error ? wrong : new Error(String(wrong)));
      }
    });
  });
}
