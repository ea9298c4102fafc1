/** Temporary folders for tests. */

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates a folder that is removed after the test. @returns its real path */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "bascule-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
