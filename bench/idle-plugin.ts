/** `idle_plugin`: memory of a loaded plugin without calls, measured on the whole process with 1,000 of them. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Bench, type Measured, median } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";
import { temporaryPlugins } from "./plugin-folder.ts";

const CHILD = fileURLToPath(new URL("./idle-plugin-child.ts", import.meta.url));
const FEW = 2;
const SOME = 100;
const MANY = 1_000;
const ROUNDS = 3;

export const idlePlugin: Bench = {
  id: "idle_plugin",
  async run(): Promise<Measured> {
    const bare: number[] = [];
    for (let round = 0; round < ROUNDS; round++) bare.push(await residentKb(FEW));
    const each = async (plugins: number): Promise<number> => ((await residentKb(plugins)) - median(bare)) / (plugins - FEW);
    const some = await each(SOME);
    // The first start may have to compile the plugins, and the memory that this leaves in the workers does not belong to plugins.
    const first = await each(MANY);
    const value = await each(MANY);
    const bareMb = (median(bare) / 1024).toFixed(0);
    const note = `at ${SOME} loaded ${some.toFixed(0)} KB each, at the first start with ${MANY} ${first.toFixed(0)} KB; all workers and no idle plugins ${bareMb} MB`;
    return { value, unit: "KB", baseline: null, ratio: null, note };
  },
};

/** Resident memory of a separate process, workers included, that has loaded `count` different plugins. */
async function residentKb(plugins: number): Promise<number> {
  await using project = await temporaryPlugins();
  for (let number = 0; number < plugins; number++) await project.write(`p${number}`, numbered(number), ["label", "busy"]);
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", CHILD, project.path, String(plugins)]);
  // The child's output.
  return (JSON.parse(stdout) as { readonly residentKb: number }).residentKb;
}

function numbered(number: number): string {
  const busy = "export function busy() { let n = 0; for (let i = 0; i < 1e6; i++) n += i; return n; }";
  return `${PLUGIN_2KB}\nconst LABEL = "plugin ${number}";\nexport function label() { return LABEL; }\n${busy}`;
}
