/** As many key derivations as there are workers: file operations must not wait for them. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const isLinux = existsSync("/proc/self/task");
// Deno derives keys on other threads.
const isNode = !("Deno" in globalThis);

describe("attack: key derivations that occupy the threads that files need", () => {
  it.skipIf(!isLinux || !isNode)(
    "use at most half of the threads that bascule starts with, and a file is read meanwhile [LV3.crypto]",
    async () => {
      const env: NodeJS.ProcessEnv = { ...process.env };
      delete env["UV_THREADPOOL_SIZE"];
      const given = ["bin/bascule.mjs", "--run", "test/support/pool-threads.mjs"];
      const { stdout } = await promisify(execFile)(process.execPath, given, { env });
      expect(JSON.parse(stdout)).toEqual({ threads: 16, stillDeriving: 8 });
    },
  );
});
