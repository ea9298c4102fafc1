/** Kills a program that changes the host's files at random moments of a seed, and checks the files. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openChangedFiles, stateAfter, STEPS } from "./change-loop.ts";

const SCRIPT = fileURLToPath(new URL("./change-loop.ts", import.meta.url));
/** Maximum life of the program in milliseconds, enough for about ten steps. */
const LONGEST_LIFE_MS = 150;

/**
 * Checks that after each kill the files have the state before or after the interrupted step, and that no other files remain after each
 * one is changed again.
 *
 * @returns the problems, each with its round
 */
export async function killChanges(rounds: number, seed: number): Promise<readonly string[]> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "bascule-kills-")));
  const [folder, config] = [join(base, "project"), join(base, "config")];
  await mkdir(folder);
  await writeFile(join(folder, "bascule.json"), "{}");
  const random = createRandom(seed);
  const wrong: string[] = [];
  try {
    let step = 0;
    for (let round = 0; round < rounds; round += 1) {
      const say = (what: string): void => void wrong.push(`round ${round}: ${what}`);
      const killed = await killOne([folder, config, String(step)], random() * LONGEST_LIFE_MS);
      if (killed.problem !== undefined) say(killed.problem);
      const files = await openChangedFiles(folder, config);
      const found = JSON.stringify(await files.state());
      const reached = [killed.step, killed.step + 1].find((count) => JSON.stringify(stateAfter(count)) === found);
      if (reached === undefined) say(`killed in step ${killed.step}, and the files say ${found}`);
      step = reached ?? killed.step;
      for (let count = 0; count < STEPS; count += 1) {
        await files.take(step);
        step += 1;
      }
      const now = JSON.stringify(await files.state());
      if (now !== JSON.stringify(stateAfter(step))) say(`after ${step} steps the files say ${now}`);
      const left = await files.leftovers();
      if (left.length > 0) say(`left behind: ${left.join(", ")}`);
    }
  } finally {
    await rm(base, { recursive: true, force: true });
  }
  return wrong;
}

interface Killed {
  /** The interrupted step. */
  readonly step: number;
  /** The problem if the program ended before it was killed. */
  readonly problem?: string;
}

async function killOne(args: readonly string[], lifeMs: number): Promise<Killed> {
  const child = spawn(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), SCRIPT, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let complaints = "";
  const begun = once(child.stdout, "data");
  child.stdout.on("data", (data: Buffer) => void (said += data.toString()));
  child.stderr.on("data", (data: Buffer) => void (complaints += data.toString()));
  const closed = once(child, "close");
  await Promise.race([begun, closed]);
  // The delay is the random moment of the kill, not a wait for a condition.
  const timer = setTimeout(() => child.kill("SIGKILL"), lifeMs);
  await closed;
  clearTimeout(timer);
  const step = Number(said.trimEnd().split("\n").at(-1));
  return child.signalCode === "SIGKILL" ? { step } : { step, problem: `ended by itself: ${complaints.slice(0, 1_000)}` };
}

/** Creates Lehmer's generator (MINSTD). It returns numbers from 0 to below 1. */
function createRandom(seed: number): () => number {
  let state = (Math.abs(seed) % 2_147_483_646) + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
