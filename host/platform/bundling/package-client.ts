/** Downloads packages with the user's npm client, or with Deno where npm is not installed. Install scripts never run. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runGuarded } from "../processes/run-guarded.ts";
import type { FetchRequest } from "./bundler-types.ts";

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const CLIENT_MS = 300_000;
/** The registry of jsr packages for npm clients (https://jsr.io/docs/npm-compatibility), and short waits. */
const DEFAULTS = "@jsr:registry=https://npm.jsr.io\nfetch-retries=1\nfetch-retry-mintimeout=500\n";

/** @returns undefined if all packages are in `folder/node_modules`, else the reason */
export async function fetchPackages({ packages, folder, npmrc }: FetchRequest): Promise<string | undefined> {
  const dependencies = Object.fromEntries(packages.map((one) => [one.slice(0, one.lastIndexOf("@")), one.slice(one.lastIndexOf("@") + 1)]));
  // The later of two lines wins, so a project may name another registry for jsr packages.
  await writeFile(join(folder, ".npmrc"), DEFAULTS + npmrc, { mode: 0o600 });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  for (const { file, args } of CLIENTS) {
    const signal = AbortSignal.timeout(CLIENT_MS);
    const ended = await runGuarded({ file, args, cwd: folder, maxBytes: MAX_OUTPUT_BYTES, signal });
    if (ended.kind === "not_started" && ended.why === "not_found") continue;
    if (ended.kind !== "ended") return `${file} did not end`;
    return ended.exitCode === 0 ? undefined : `${file}: ${errorIn(ended.errors)}`;
  }
  return "neither npm nor Deno is installed";
}

const CLIENTS = [
  {
    file: "npm",
    args: ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"],
  },
  { file: "deno", args: ["install", "--quiet", "--no-lock", "--node-modules-dir=auto"] },
] as const;

/** npm writes "npm error 404 Not Found - GET …" and more lines; the first that is not a code says most. */
function errorIn(errors: string): string {
  const lines = errors.split("\n").map((line) =>
    line
      .replace(/^npm (?:error|ERR!) ?/, "")
      .replace(/^\w*Error: /, "")
      .trim(),
  );
  return lines.find((line) => line !== "" && !/^(?:code|errno|syscall|network This|npm warn)\b/.test(line)) ?? "failed without a message";
}
