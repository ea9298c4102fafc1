/** Threads that read the code of plugins, kept between the saves of `bascule dev`: starting them takes longer than reading. */

import type { Platform } from "../../platform/platform.ts";
import { type Service, ServiceError } from "../../primitives/service/service.ts";
import { createSandbox, type Sandbox } from "../../../sandbox/mod.ts";
import type { CodeReading } from "./code-tool.ts";
import { READ_TOOLS } from "./read-tools-task.ts";

export interface CodeReader {
  /** Reads the syntax of a plugin's code. Returns undefined after ten seconds, when the thread is ended. */
  read(files: ReadonlyMap<string, string>, main: string): Promise<CodeReading | undefined>;
  /** Returns the sandbox that loads plugins to read the records of `defineTool`. */
  sandbox(): Sandbox;
  close(): Promise<void>;
}

const MAX_MS = 10_000;

/** @param openService starts a service thread */
export function createCodeReader(
  { clock, workers, log }: Pick<Platform, "clock" | "workers" | "log">,
  openService: () => Service,
): CodeReader {
  let service: Service | undefined;
  let sandbox: Sandbox | undefined;
  return {
    async read(files, main) {
      const used = (service ??= openService());
      const stop = clock.after(MAX_MS, () => {
        if (service === used) service = undefined;
        void used.close();
      });
      try {
        return await used.run(READ_TOOLS, { files, main }, { owner: "code" });
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return error.name === "ServiceEnded" ? undefined : unread(main, error.message);
      } finally {
        stop();
      }
    },
    sandbox: () => (sandbox ??= createSandbox(workers, { maximumWorkers: 1, onDefect: (message) => log.write("error", message) })),
    async close() {
      await service?.close();
      await sandbox?.close();
    },
  };
}

/** Code that makes the parser throw anything but a syntax error must not end the command that reads it. */
function unread(main: string, reason: string): CodeReading {
  const problem = { file: main, line: 1, column: 1, message: `The code cannot be read: ${reason}`, fix: "write it in another way" };
  return { order: [], tools: [], candidates: [], problems: [problem], usesDefineTool: false };
}
