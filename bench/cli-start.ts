/**
 * `cli_call`, `cli_list`, `cli_alone`: milliseconds from starting a command to its end, beside `node -e 0`, which does nothing (SPEC DI5).
 *
 * Runs in a checkout as `npm ci` leaves it, with its bundle.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runCommand } from "../scripts/run-command.ts";
import { type Bench, inTurn, type Measured, median, mustBe } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";
import { temporaryPlugins } from "./plugin-folder.ts";

export const BIN: string = fileURLToPath(new URL("../bin/bascule.mjs", import.meta.url));
const ROUNDS = 31;
const WARM_ROUNDS = 3;
const CALL = ["call", "cli_echo", "a=1"];

export const cliCall: Bench = { id: "cli_call", run: () => measure(CALL, true) };
export const cliList: Bench = { id: "cli_list", run: () => measure(["list"], true) };
export const cliAlone: Bench = { id: "cli_alone", run: () => measure(CALL, false) };

/** Bundles the checkout, because after an edit `bascule` starts from the sources. */
export async function bundleCheckout(): Promise<void> {
  const { code, output } = await runCommand(process.execPath, ["scripts/prepare.mjs"]);
  if (code !== 0 || output !== "") throw new Error(`Cannot bundle the checkout: ${output}`);
}

/** @param isServed whether a host runs in the project */
async function measure(words: readonly string[], isServed: boolean): Promise<Measured> {
  await using project = await temporaryPlugins();
  await project.write("cli", PLUGIN_2KB);
  await bundleCheckout();
  await using _host = isServed ? await startHost(project.path) : undefined;
  const node = { args: ["-e", "0"], wallMs: new Array<number>(), cpuMs: 0 };
  const bascule = { args: [BIN, ...words], wallMs: new Array<number>(), cpuMs: 0 };
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    for (const candidate of inTurn([node, bascule], round)) {
      const [beginMs, cpuMs] = [performance.now(), childrenCpuMs()];
      const output = await outputOf(candidate.args, project.path);
      if (round < WARM_ROUNDS) continue;
      candidate.wallMs.push(performance.now() - beginMs);
      candidate.cpuMs += childrenCpuMs() - cpuMs;
      if (candidate === bascule && words === CALL) mustBe(JSON.parse(output), { a: 1 });
    }
  }
  const baseline = median(node.wallMs);
  const ratio = median(bascule.wallMs.map((wallMs, round) => wallMs / (node.wallMs[round] ?? Number.NaN)));
  const cpu = [bascule.cpuMs, node.cpuMs].map((sum) => `${(sum / ROUNDS).toFixed(0)} ms`).join(" of processor time beside ");
  const note = `fastest ${Math.min(...bascule.wallMs).toFixed(0)} ms; ${cpu}`;
  return { value: median(bascule.wallMs), unit: "ms", baseline, ratio, note };
}

/** Returns the output of a program that succeeds. */
function outputOf(args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`The command failed: ${errors}`))));
  });
}

const STATUS = "/proc/self/stat";
/** Milliseconds of a clock tick in `proc_pid_stat(5)`. */
const TICK_MS = 10;

/** Returns the processor time of all child processes that have ended; NaN on systems other than Linux. */
function childrenCpuMs(): number {
  if (process.platform !== "linux") return Number.NaN;
  const text = readFileSync(STATUS, "latin1");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

/** Starts `bascule dev` in a process of its own. */
async function startHost(cwd: string): Promise<AsyncDisposable> {
  const child = spawn(process.execPath, [BIN, "dev"], { cwd, stdio: ["ignore", "pipe", "ignore"] });
  await new Promise<void>((resolve, reject) => {
    let printed = "";
    child.stdout.on("data", (text: Buffer) => {
      printed += text.toString();
      if (printed.includes("Press Ctrl-C")) resolve();
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`dev ended: ${printed}`)));
  });
  return { [Symbol.asyncDispose]: () => end(child) };
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}
