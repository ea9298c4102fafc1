/** A folder of its own for each test, gone afterwards. */

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** @returns its real path */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "bascule-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
