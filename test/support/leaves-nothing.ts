/**
 * Runs around every test file, and fails one that leaves something behind: for the files that share its process, or on the machine.
 *
 * What is there is looked at before the file's first hook and after its last (`what-is-there.ts`). What is being ended gets time to go.
 */

import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll } from "vitest";
import { describeChange, whatIsThere } from "./what-is-there.ts";

/** What is ended without waiting for it may take so long on a crowded machine. */
const GONE_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 20;
/** A hook with a timeout would have a timer of its own among what is looked at. */
const NO_TIMER = 0;

const TEMPORARY = ownTemporaryFolder();
let before: ReturnType<typeof whatIsThere>;

beforeAll(() => {
  before = whatIsThere(TEMPORARY);
}, NO_TIMER);

// Hooks are a stack: the file's own have all run.
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

/** A folder for temporary files that no other process writes to; its name is short, for paths of sockets begin with it. */
function ownTemporaryFolder(): string {
  const name = `bt-${process.pid}`;
  const around = realpathSync(basename(tmpdir()) === name ? join(tmpdir(), "..") : tmpdir());
  const folder = join(around, name);
  // Of a process that had the number before, and was killed.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  process.env["TMPDIR"] = folder;
  return folder;
}
