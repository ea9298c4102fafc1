/** `bascule dev --test` runs a plugin's cases and tests again whenever it was reloaded (SPEC I7). */

import type { Permissions } from "../../manifests/mod.ts";
import type { FileOutcome } from "../testing/outcome.ts";
import { runPlugin } from "../testing/run-plugin.ts";
import { readManifest } from "../types/read-manifest.ts";
import type { CommandContext } from "./command.ts";
import { isolationOfProject } from "./isolation-flag.ts";
import { pathFrom } from "./paths.ts";
import { countTests, summaryLines } from "./test-text.ts";
import { printable } from "./text.ts";

/** Owned by `dev`; `close` it. */
export interface TestKeeper {
  /** One plugin at a time; one that changes while it waits runs once. */
  run(plugin: string, directory: string): void;
  /** Ends what runs. */
  close(): Promise<void>;
}

/** @param grants what test files may do: those of the run. */
export function createTestKeeper(
  context: Pick<CommandContext, "platform" | "project" | "options" | "output" | "signal">,
  grants: Permissions,
): TestKeeper {
  const { platform, output } = context;
  const waiting = new Map<string, string>();
  const ending = new AbortController();
  let running: Promise<void> | undefined;

  async function runAll(): Promise<void> {
    for (let [next] = waiting; next !== undefined && !ending.signal.aborted; [next] = waiting) {
      const [plugin, directory] = next;
      waiting.delete(plugin);
      for (const line of await testLines(plugin, directory)) output.line(line);
    }
    running = undefined;
  }

  async function testLines(plugin: string, directory: string): Promise<readonly string[]> {
    const { style } = output;
    const began = platform.clock.monotonic();
    const folder = await platform.files.realPath(directory);
    const manifest = await readManifest(platform, folder);
    // A wrong manifest is shown by whoever loads it.
    if (manifest === undefined || !manifest.ok) return [];
    const isolation = await isolationOfProject(context);
    const files = await runPlugin({ platform, manifest: manifest.manifest, directory: folder, grants, isolation, signal: ending.signal });
    if (files.length === 0 || ending.signal.aborted) return [];
    const shown = (_plugin: string, file: string): string => `${pathFrom(platform.environment.cwd, directory)}/${file}`;
    const { passed, failed } = countTests(files);
    if (isGood(files)) return [`${style.green("tests")}    ${style.bold(printable(plugin))}  ${passed} passed`];
    return [
      `${style.red("tests")}    ${style.bold(printable(plugin))}  ${passed} passed, ${failed} failed`,
      ...summaryLines(files, platform.clock.monotonic() - began, style, shown).filter((line) => line !== ""),
    ];
  }

  return {
    run(plugin, directory) {
      waiting.set(plugin, directory);
      running ??= runAll().catch((error: unknown) => {
        running = undefined;
        output.note(`The tests cannot be run: ${printable(error instanceof Error ? error.message : String(error))}`);
      });
    },
    async close() {
      ending.abort();
      waiting.clear();
      await running;
    },
  };
}

function isGood(files: readonly FileOutcome[]): boolean {
  return countTests(files).failed === 0;
}
