/** A folder on a file system that treats several spellings as one name. Removed after the test. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

/** Differences in names that the file system ignores (`folding-fs.mjs`). */
export type Folding = "case" | "forms" | "exact";

const SERVER = new URL("folding-fs.mjs", import.meta.url).pathname;
const NODE = new URL("../../node_modules/.bin/node", import.meta.url).pathname;

/** Returns why this machine cannot mount such a folder; undefined if it can. */
export function withoutFolding(): string | undefined {
  if (process.platform !== "linux" || !existsSync("/dev/fuse")) return "this machine has no /dev/fuse";
  return process.getuid?.() === 0 ? undefined : "mounting needs root";
}

/** @returns the real path of the empty mounted folder */
export async function foldingFolder(folding: Folding): Promise<string> {
  const folder = await temporaryFolder();
  const server = spawn(NODE, [SERVER, folder, folding], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(server, "exit");
  // Hooks run in reverse order, so this unmounts before the folder is removed.
  onTestFinished(async () => {
    server.stdin.end();
    await ended;
  });
  const [said] = await Promise.race([once(server.stdout, "data"), ended]);
  if (String(said) !== "mounted\n") throw new Error(`The file system was not mounted: ${String(said)}`);
  return folder;
}
