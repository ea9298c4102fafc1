import { spawn } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../../../scripts/run-command.ts";

/** Prints every loaded module when the process ends. */
const HOOK = `
import { registerHooks } from "node:module";
const urls = [];
registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
process.on("exit", () => console.error(urls.map((url) => "loaded " + url).join("\\n")));
`;

/** Serves an empty project until it has started or failed, and returns the loaded modules. */
async function modulesOf(...args: readonly string[]): Promise<readonly string[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "bascule-loaded-"));
  const hook = join(folder.path, "hook.mjs");
  await writeFile(hook, HOOK);
  // The sources: a bundle has modules of its own.
  const url = pathToFileURL(`${REPOSITORY}host/doors/cli/start.ts`).href;
  const main = join(folder.path, "main.mjs");
  await writeFile(main, `import { start } from "${url}"; await start("${url}", process.argv.slice(2), "bascule");`);
  const child = spawn(process.execPath, ["--import", hook, main, "serve", "--port=0", ...args], {
    cwd: folder.path,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const onText = (piece: Buffer): void => {
    text += piece.toString();
    if (text.includes("Press Ctrl-C")) child.kill("SIGINT");
  };
  child.stdout.on("data", onText);
  child.stderr.on("data", onText);
  await new Promise((resolve) => child.on("close", resolve));
  return text.split("\n").filter((line) => line.startsWith("loaded "));
}

describe.skipIf("Deno" in globalThis)("bascule serve", { timeout: 60_000 }, () => {
  it("loads nothing of NATS without --join [CL1.unloaded]", async () => {
    const [alone, joined] = [await modulesOf(), await modulesOf("--join=nats://127.0.0.1:1")];
    const ofNats = (modules: readonly string[]): readonly string[] =>
      modules.filter((url) => /@nats-io|\/bus\/(?:nats|ident)\S*\.ts|tweetnacl/u.test(url) && !url.endsWith("-types.ts"));
    expect(alone.length).toBeGreaterThan(100);
    expect(ofNats(alone)).toEqual([]);
    // The search finds them where they are.
    expect(ofNats(joined).length).toBeGreaterThan(5);
  });
});
