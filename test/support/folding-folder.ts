/** A folder on a file system that takes several spellings for one name, gone after the test. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

/** What the file system ignores (`folding-fs.mjs`). */
export type Folding = "case" | "forms" | "exact";

const SERVER = new URL("folding-fs.mjs", import.meta.url).pathname;
const NODE = new URL("../../node_modules/.bin/node", import.meta.url).pathname;

/** Why there can be none here; undefined if there can. */
export function withoutFolding(): string | undefined {
  if (process.platform !== "linux" || !existsSync("/dev/fuse")) return "this machine has no /dev/fuse";
  return process.getuid?.() === 0 ? undefined : "mounting takes root";
}

/** @returns the real path of the mounted folder, which is empty */
export async function foldingFolder(folding: Folding): Promise<string> {
  const folder = await temporaryFolder();
  const server = spawn(NODE, [SERVER, folder, folding], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(server, "exit");
  // Before the folder is removed: what is asked for last is done first.
  onTestFinished(async () => {
    server.stdin.end();
    await ended;
  });
  const [said] = await Promise.race([once(server.stdout, "data"), ended]);
  if (String(said) !== "mounted\n") throw new Error(`The file system was not mounted: ${String(said)}`);
  return folder;
}
