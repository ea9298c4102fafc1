/**
 * Copies files that two shipped plugins share, because a plugin imports its own files only. `node scripts/copy-plugin-files.ts`
 * writes the copies; `--check` compares.
 */

import { mkdirSync, readFileSync } from "node:fs";
import { REPOSITORY } from "./run-command.ts";
import { writeOrCheck } from "./write-or-check.ts";

/** The expression language of `calculate`, for plotting functions. */
const COPIES = [
  {
    from: "plugins/math",
    to: "plugins/plot/expressions",
    files: ["calls.ts", "compile.ts", "expression.ts", "functions.ts", "vendor/jsep.js", "vendor/jsep.d.ts", "vendor/jsep.LICENCE.txt"],
  },
] as const;

for (const { from, to, files } of COPIES)
  for (const file of files) {
    mkdirSync(REPOSITORY + `${to}/${file}`.replace(/\/[^/]*$/u, ""), { recursive: true });
    const text = readFileSync(`${REPOSITORY}${from}/${file}`, "utf8");
    writeOrCheck(
      `${to}/${file}`,
      file.startsWith("vendor/") ? text : `// Copied from ${from} by scripts/copy-plugin-files.ts: do not edit.\n${text}`,
    );
  }
