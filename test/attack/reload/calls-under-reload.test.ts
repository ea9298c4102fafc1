import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHost, type Host } from "../../../host/mod.ts";
import { SETTLE_TIMING } from "../../../host/plugins/folder/mod.ts";
import { manifest, tool } from "../../host/plugins/folder/harness.ts";
import { plantOnDisk } from "../../support/plant.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { DEADLINE, pause } from "./live-root.ts";

const CALLS = 3_000;
const SILENT = { write: () => undefined, child: () => SILENT };

/** Two tools in two files that must always agree, and a third file that both read. */
function versionFiles(version: number): Readonly<Record<string, string>> {
  return {
    "manifest.json": manifest("pair", { version: `1.0.${version}`, tools: [tool("one"), tool("two", { module: "two.ts" })] }),
    "main.ts": `import { shared } from "./shared.ts";\nexport function one() { return { own: ${version}, shared }; }\n`,
    "two.ts": `import { shared } from "./shared.ts";\nexport async function two() { await new Promise((r) => setTimeout(r, 1)); return { own: ${version}, shared }; }\n`,
    "shared.ts": `export const shared = ${version};\n`,
  };
}

/**
 * Writes as an editor or a checkout does: one file after the other.
 *
 * @returns whether the files came without a pause after which they count as complete, as they may on a machine that others use
 */
async function writeVersion(folder: string, version: number): Promise<boolean> {
  let last = performance.now();
  let isAtOnce = true;
  for (const [path, text] of Object.entries(versionFiles(version))) {
    await writeFile(join(folder, path), text);
    isAtOnce &&= performance.now() - last < SETTLE_TIMING.quietMs / 2;
    last = performance.now();
  }
  return isAtOnce;
}

async function openHost(root: string, workspace: string): Promise<Host> {
  const host = await createHost({ config: false, plugins: [root], workspace, watch: true, logger: SILENT });
  onTestFinished(() => host.close());
  return host;
}

describe("calls while their plugin reloads continuously", () => {
  it("all succeed, each on one version with the hash that it names [H4] [H9]", { timeout: 120_000 }, async () => {
    const home = await temporaryFolder();
    const root = join(home, "plugins");
    const folder = join(root, "pair");
    for (const [path, text] of Object.entries(versionFiles(0))) await plantOnDisk(join(folder, path), text);
    const host = await openHost(root, home);

    const versionOf = new Map<string, number>();
    /** Versions whose files came with a pause: the host may have loaded a part of them. */
    const parts = new Set<number>();
    let ended = 0;
    let version = 0;
    // A loaded machine may finish all calls before a second version is loaded.
    const until = performance.now() + 60_000;
    const isGoingOn = (): boolean => (ended < CALLS || versionOf.size <= 2) && performance.now() < until;
    const writing = (async () => {
      while (isGoingOn()) {
        version += 1;
        const written = version;
        if (!(await writeVersion(folder, written))) parts.add(written);
        await pause(30 + Math.random() * 100);
      }
    })();
    const wrong: unknown[] = [];
    await Promise.all(
      Array.from({ length: 4 }, async (_, caller) => {
        for (let call = 0; isGoingOn(); call++) {
          const result = await host.call((caller + call) % 2 === 0 ? "one" : "two", {});
          ended += 1;
          // A refused call takes no turn of the event loop, which the next version needs.
          if (!result.ok) await pause(1);
          const output = result.ok ? (result.output as { own: number; shared: number }) : undefined;
          const known = versionOf.get(result.digest ?? "") ?? output?.own;
          // Parts of two versions, or one hash for two versions.
          if (output === undefined || output.own !== output.shared || known !== output.own)
            wrong.push(result.ok ? result.output : result.error);
          else versionOf.set(result.digest ?? "", output.own);
        }
      }),
    );
    await writing;
    const isOfParts = (output: unknown): boolean => Object.values(output ?? {}).some((number) => parts.has(number as number));
    expect(wrong.filter((output) => !isOfParts(output))).toEqual([]);
    expect(versionOf.size).toBeGreaterThan(2);
    await expect.poll(async () => (await host.call("one", {})).output, DEADLINE).toEqual({ own: version, shared: version });
  });
});
