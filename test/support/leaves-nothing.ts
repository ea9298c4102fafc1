/**
 * Runs around every test file, and fails files that leave something behind in their process or on the machine.
 *
 * Takes a snapshot before the file's first hook and after its last one (`what-is-there.ts`). Resources that are closing get time to end.
 */

import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll } from "vitest";
import { describeChange, whatIsThere } from "./what-is-there.ts";

/** Time for resources to end, in milliseconds. Generous for busy machines. */
const GONE_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 20;
/** Timeout of the hooks: none, because its timer would appear in the snapshot. */
const NO_TIMER = 0;

const TEMPORARY = ownTemporaryFolder();
let before: ReturnType<typeof whatIsThere>;

beforeAll(() => {
  before = whatIsThere(TEMPORARY);
}, NO_TIMER);

// afterAll hooks run in reverse order, so the file's own hooks have run before this one.
afterAll(async () => {
  const until = performance.now() + GONE_WITHIN_MS;
  let left = describeChange(before, whatIsThere(TEMPORARY));
  while (left.length > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    left = describeChange(before, whatIsThere(TEMPORARY));
  }
  rmSync(TEMPORARY, { recursive: true, force: true });
  if (left.length > 0) throw new Error(`This test file leaves behind:\n${left.map((line) => `  ${line}`).join("\n")}`);
}, NO_TIMER);

/** Creates a temporary folder for this process only. Its name is short, because the length of socket paths is limited. */
function ownTemporaryFolder(): string {
  const name = `bt-${process.pid}`;
  const around = realpathSync(basename(tmpdir()) === name ? join(tmpdir(), "..") : tmpdir());
  const folder = join(around, name);
  // Remove the folder of a killed process that had the same id.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  process.env["TMPDIR"] = folder;
  return folder;
}
