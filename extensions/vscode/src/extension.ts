/** Entry of the extension: gives `start` the editor, and the same client of the host's socket that the command line uses. */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { connectToHost } from "../../../host/doors/socket/socket-client.ts";
import { createFiles } from "../../../host/platform/files/files.ts";
import { createSockets } from "../../../host/platform/network/sockets.ts";
import { start } from "./start.ts";

/** Time between two attempts to find a host. */
const RETRY_MS = 2_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Larger files have no diff. */
const MAX_TEXT_BYTES = 1024 * 1024;

export function activate(context: vscode.ExtensionContext): void {
  const platform = { files: createFiles(), sockets: createSockets() };
  context.subscriptions.push(
    start(vscode, {
      connect: (root) => connectToHost(platform, `${root.replaceAll("\\", "/")}/.bascule`),
      pause: (signal) => setTimeout(RETRY_MS, undefined, { signal }).catch(() => undefined),
      readText,
      run,
    }),
  );
}

async function run([program = "", ...args]: readonly string[], cwd: string): Promise<string> {
  try {
    // On Windows, `npx` is a script that only a shell starts. Nothing in the arguments comes from the folder.
    const { stdout } = await promisify(execFile)(program, args, { cwd, maxBuffer: MAX_OUTPUT_BYTES, shell: process.platform === "win32" });
    return stdout;
  } catch (error) {
    // A command that found problems exits with 1 and prints them.
    if (error instanceof Error && "stdout" in error && typeof error.stdout === "string" && error.stdout !== "") return error.stdout;
    throw error;
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    return bytes.length > MAX_TEXT_BYTES ? undefined : bytes.toString();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
