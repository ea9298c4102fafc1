/** Runs a program to its end. */

import { execFile } from "node:child_process";

/** What it printed. @throws {Error} if it failed, or took longer than anything that is measured should. */
export function runForText(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { timeout: 60_000 }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
  });
}
