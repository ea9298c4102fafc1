/** Uses Deno as the oracle: evaluates the same expressions in Deno and in the guest. */

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { outputOf, startSandbox } from "../../support/sandbox.ts";
import { startGuest } from "./engine.ts";

const DENO = fileURLToPath(new URL("../../../node_modules/.bin/deno", import.meta.url));

/** Returns a program that evaluates each expression, which may await, to `Deno.inspect`'s text or the name of its error. */
function program(expressions: readonly string[]): string {
  const cases = expressions.map((text) => `async () => (${text})`).join(",\n");
  return `
    const cases = [${cases}];
    async function answers() {
      const found = [];
      for (const evaluate of cases) {
        try { found.push(Deno.inspect(await evaluate())); } catch (error) { found.push("throws " + error.name); }
      }
      return found;
    }`;
}

/** Returns Deno's answers, in order. */
export async function askDeno(expressions: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-oracle-"));
  try {
    const file = join(folder, "cases.js");
    await writeFile(file, `${program(expressions)}\nconsole.log(JSON.stringify(await answers()));`);
    const { stdout } = await promisify(execFile)(DENO, ["run", "--quiet", "--no-prompt", "--no-config", file], {
      maxBuffer: 64 * 1024 * 1024,
    });
    // The program prints one JSON list of strings.
    return JSON.parse(stdout) as string[];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the guest's answers, in order. */
export async function askGuest(expressions: readonly string[]): Promise<string[]> {
  const guest = await startGuest({ source: `${program(expressions)}\nexport const tool = answers;` });
  try {
    // The tool returns the list of strings.
    return guest.output() as string[];
  } finally {
    guest.dispose();
  }
}

/** Returns the answers of a plugin in a real worker, in order, for features that need the worker while the call waits. */
export async function askWorker(expressions: readonly string[]): Promise<string[]> {
  await using box = startSandbox({ maximumWorkers: 1 });
  const loaded = await box.load("oracle", { "main.js": `${program(expressions)}\nexport const tool = answers;` }, ["tool"]);
  if (!loaded.ok) throw new Error(`The program does not load: ${loaded.fault.message}`);
  const found = outputOf(await box.call("oracle", "tool", { module: "main.js" }));
  if (!Array.isArray(found)) throw new Error(`The program ended otherwise: ${JSON.stringify(found)}`);
  // The tool returns the list of strings.
  return found as string[];
}

/** Returns both answers by expression, as whole values to compare. */
export async function askBoth(
  expressions: readonly string[],
  ask: (expressions: readonly string[]) => Promise<string[]> = askGuest,
): Promise<{ deno: Record<string, unknown>; guest: Record<string, unknown> }> {
  const [theirs, ours] = await Promise.all([askDeno(expressions), ask(expressions)]);
  const byExpression = (texts: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(expressions.map((text, index) => [text, texts[index]]));
  return { deno: byExpression(theirs), guest: byExpression(ours) };
}
