/** Runs programs in the sandbox, each as a module that passes through the loader, and in the engine that runs the tests. */

import { outputOf, startSandbox, type TestSandbox } from "../support/sandbox.ts";

let names = 0;

/** The answers of each program in the sandbox and in V8. */
export interface LoopAnswers {
  readonly sandboxed: readonly unknown[];
  readonly inV8: readonly unknown[];
}

export async function runInBoth(sandbox: TestSandbox, programs: readonly string[]): Promise<LoopAnswers> {
  const inV8 = await Promise.all(programs.map((program) => new AsyncFunction(`"use strict";${program}`)()));
  const files = Object.fromEntries(
    programs.map((program, index) => [`p${String(index)}.js`, `export async function run() {${program}\n}`]),
  );
  const name = `loops ${String(process.pid)} ${String(names++)}`;
  const loaded = await sandbox.load(name, { "main.js": mainModule(Object.keys(files)), ...files }, ["run"], LOAD_MS);
  if (!loaded.ok) return { sandboxed: [loaded.fault], inV8 };
  try {
    const sandboxed = outputOf(await sandbox.call(name, "run", { module: "main.js" }));
    return { sandboxed: Array.isArray(sandboxed) ? sandboxed : [sandboxed], inV8 };
  } finally {
    sandbox.sandbox.unload(name);
  }
}

/** Returns the programs whose answers differ, each with both answers; empty if there are none. */
export async function checkLoops(programs: readonly string[]): Promise<readonly string[]> {
  await using sandbox = startSandbox({ maximumWorkers: 1 });
  const { sandboxed, inV8 } = await runInBoth(sandbox, programs);
  return programs.flatMap((program, index) => {
    const [ours, theirs] = [sandboxed, inV8].map((answers) => JSON.stringify(answers[index]));
    return ours === theirs ? [] : [`${program}\nsandbox: ${ours ?? ""}\nV8: ${theirs ?? ""}`];
  });
}

const LOAD_MS = 20_000;
const AsyncFunction = (async () => {}).constructor as new (body: string) => () => Promise<unknown>;

/** Runs the programs one after the other. Reports the reason if one does not load. */
function mainModule(files: readonly string[]): string {
  return `export async function run() {
    const all = [];
    for (const load of [${files.map((file) => `() => import("./${file}")`).join()}])
      all.push(await load().then((module) => module.run()).catch((error) => error.name + ": " + error.message));
    return all;
  }`;
}
