/** The last step of every generator: writes the file, or with `--check` compares it. */

import { readFileSync, writeFileSync } from "node:fs";
import { REPOSITORY } from "./run-command.ts";

/**
 * Writes `text` to `file` (relative to the repository); with `--check` on the command line only compares, and sets exit code 1 on
 * a difference.
 */
export function writeOrCheck(file: string, text: string): void {
  if (!process.argv.includes("--check")) {
    writeFileSync(REPOSITORY + file, text);
    return;
  }
  if (readIfThere(file) === text) return;
  console.error(`"${file}" is not what its generator writes (run npm run generate)`);
  process.exitCode = 1;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(REPOSITORY + file, "utf8");
  } catch {
    // A missing file differs from every text.
    return undefined;
  }
}
