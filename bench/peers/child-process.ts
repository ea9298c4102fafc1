/** Runs a program to its end. */

import { execFile } from "node:child_process";

/** Returns the program's output. @throws {Error} if it failed, or exceeded the timeout. */
export function runForText(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { timeout: 60_000 }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
  });
}
