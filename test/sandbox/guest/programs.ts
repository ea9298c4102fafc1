/** Runs programs on real files, in Deno and in the real sandbox; both must print the same. */

import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { testCall } from "../../support/bridge-context.ts";
import { outputOf, startSandbox } from "../../support/sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const DENO = fileURLToPath(new URL("../../../node_modules/.bin/deno", import.meta.url));

/** Returns a program of async function bodies. Each result is shown as by `Deno.inspect`; an error as class, name, message and code. */
function program(bodies: readonly string[]): string {
  const cases = bodies.map((body) => `async () => {${body}\n}`).join(",\n");
  return `
    const thrown = (e) => "throws " + (e instanceof Error || e instanceof DOMException ? [e.constructor.name, e.name, e.message, e.code].join(" | ") : Deno.inspect(e));
    const cases = [${cases}];
    async function answers() {
      const found = [];
      for (const run of cases) try { found.push(Deno.inspect(await run(), { depth: 6 })); } catch (error) { found.push(thrown(error)); }
      return found;
    }`;
}

/** Creates a folder with `a.txt` ("hello world"), `dir/b.txt` and `big.bin` (200,000 bytes), granted to read and write. */
async function workspace(): Promise<string> {
  const folder = join(await temporaryFolder(), "w");
  await mkdir(join(folder, "dir"), { recursive: true });
  await writeFile(join(folder, "a.txt"), "hello world");
  await writeFile(join(folder, "dir/b.txt"), "b");
  await writeFile(join(folder, "big.bin"), new Uint8Array(200_000).fill(7));
  return folder;
}

async function inDeno(bodies: readonly string[]): Promise<readonly string[]> {
  const cwd = await workspace();
  await writeFile(join(cwd, "../cases.js"), `${program(bodies)}\nconsole.log(JSON.stringify(await answers()));`);
  const flags = ["run", "--quiet", "--no-prompt", "--no-config", "--allow-read=.", "--allow-write=."];
  const { stdout } = await promisify(execFile)(DENO, [...flags, "../cases.js"], { cwd, maxBuffer: 64 * 1024 * 1024 });
  // The program prints one JSON list of strings.
  return (JSON.parse(stdout) as string[]).map((text) => text.replaceAll(cwd, "$w"));
}

async function inGuest(bodies: readonly string[]): Promise<readonly string[]> {
  const cwd = await workspace();
  await using box = startSandbox({ maximumWorkers: 1 });
  const loaded = await box.load("programs", { "main.js": `${program(bodies)}\nexport const tool = answers;` }, ["tool"]);
  if (!loaded.ok) throw new Error(`The programs do not load: ${loaded.fault.message}`);
  const call = testCall({ platform: currentPlatform(), cwd, permissions: { read: [cwd], write: [cwd] } });
  const outcome = await box.call("programs", "tool", {
    module: "main.js",
    context: { cwd, workspacePath: cwd, sessionId: "s", callId: "c", settings: {}, permissions: {}, deadline: 0 },
    hostCall: ({ name, args, bytes }) => call.answer(name, args, bytes),
  });
  await call.context.openFiles?.close((error) => {
    throw error;
  });
  const found = outputOf(outcome);
  if (!Array.isArray(found)) throw new Error(`The programs ended otherwise: ${JSON.stringify(found)}`);
  return (found as string[]).map((text) => text.replaceAll(cwd, "$w"));
}

/** Returns the results of both with their programs, as whole lists to compare. */
export async function runBoth(bodies: readonly string[]): Promise<{ readonly deno: string[]; readonly guest: string[] }> {
  const [theirs, ours] = await Promise.all([inDeno(bodies), inGuest(bodies)]);
  const withBody = (answers: readonly string[]): string[] => bodies.map((body, index) => `${body}\n→ ${answers[index]}`);
  return { deno: withBody(theirs), guest: withBody(ours) };
}
