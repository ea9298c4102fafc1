/** A plugin root on the disk that is watched while an attack changes it. */

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { SETTLE_TIMING, type SettleTiming } from "../../../host/plugins/folder/settle.ts";
import { type Bench, diskPlatform, openBench } from "../../host/plugins/folder/harness.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

export interface LiveRoot extends Bench {
  /** The folder of the root. */
  readonly home: string;
  readonly root: string;
  readonly log: readonly string[];
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Returns every different version that a call of this tool would run from now until `stop`, polled in every turn of the event loop. */
  observe(tool: string): { stop(): readonly (string | undefined)[] };
}

export const DEADLINE: { readonly timeout: number; readonly interval: number } = { timeout: 15_000, interval: 5 };

/** Failures are not reported for this long, so that no stall of the machine counts as the end of an attack's steps. */
export const PATIENT: SettleTiming = { quietMs: 25, goneMs: 3_000, graceMs: 3_000 };

/** Scans and watches the root. */
export async function liveRoot(files: Readonly<Record<string, string>>, timing: SettleTiming = SETTLE_TIMING): Promise<LiveRoot> {
  const home = await temporaryFolder();
  const root = join(home, "plugins");
  await mkdir(root);
  const log: string[] = [];
  const bench = openBench({ platform: diskPlatform(log), roots: [root], timing });
  const write: LiveRoot["write"] = async (more) => {
    for (const [path, text] of Object.entries(more)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  };
  await write(files);
  await bench.directory.scan();
  await bench.directory.watch();
  return {
    ...{ ...bench, home, root, log, write },
    observe(tool) {
      const answers: (string | undefined)[] = [bench.code(tool)];
      let running = true;
      const look = (): void => {
        if (!running) return;
        if (answers.at(-1) !== bench.code(tool)) answers.push(bench.code(tool));
        setImmediate(look);
      };
      look();
      onTestFinished(() => void (running = false));
      return {
        stop() {
          running = false;
          return answers;
        },
      };
    },
  };
}

/** Waits for file-system events; conditions are polled separately. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
