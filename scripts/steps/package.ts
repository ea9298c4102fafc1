/**
 * The package step: packs a copy of the checkout, checks the archive with the official tools, installs it in an empty folder, and runs
 * it on Node and on Deno.
 */

import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { REPOSITORY, runCommand } from "../run-command.ts";
import { type StepOutcome, outcomeOf } from "./step.ts";

/** Packs a copy, because packing rewrites package.json temporarily and a user may be working in the checkout. */
export async function checkPackage(): Promise<StepOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-package-"));
  try {
    return await packAndRun(join(folder, "checkout"), join(folder, "user"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function packAndRun(checkout: string, user: string): Promise<StepOutcome> {
  await mkdir(user);
  const { archive, output } = await packCheckout(checkout, user);
  if (archive === undefined) return outcomeOf([output], "npm pack failed");
  await writeFile(join(user, "package.json"), `{ "name": "user", "type": "module", "private": true }\n`);
  const install = ["install", `./${archive}`, "--prefer-offline", "--no-audit", "--no-fund"];
  const installed = await runCommand("npm", install, { cwd: user });
  if (installed.code !== 0) return outcomeOf([installed.output], "npm install of the package failed");

  // npm warns about every package whose scripts it may not run, and a user cannot tell that this one needs none.
  if (/allowScripts|install-scripts/u.test(installed.output)) return outcomeOf([installed.output], "npm warns about the package");
  const archived = ["scripts/check-package.ts", join(user, archive), join(user, "node_modules/bascule")];
  const checked = await runCommand("node", archived);
  if (checked.code !== 0) return outcomeOf([checked.output], "publint, are-the-types-wrong or the size");

  // The user's own folder: a program beside node_modules, with its own plugins.
  await cp(`${REPOSITORY}scripts/smoke.mjs`, join(user, "smoke.mjs"));
  await cp(`${REPOSITORY}plugins`, join(user, "plugins"), { recursive: true });
  const complaints: string[] = [];
  for (const [command, ...args] of [
    [process.execPath, "smoke.mjs", "bascule", "plugins"],
    ["deno", "run", "-A", "smoke.mjs", "bascule", "plugins"],
    [process.execPath, "node_modules/bascule/bin/bascule.mjs", "list", "--json"],
    // Runs in its own process, which may read other files.
    [
      process.execPath,
      "node_modules/bascule/bin/bascule.mjs",
      "call",
      "words.outline",
      "path=smoke.mjs",
      "--allow-read",
      "--isolation=process",
    ],
  ] as const) {
    const { code, output } = await runCommand(command, args, { cwd: user, timeoutMs: 60_000 });
    if (code !== 0) complaints.push(`${[command, ...args].join(" ")}\n${output}`);
  }
  return outcomeOf(complaints, `${archive} installed; ${4 - complaints.length} of 4 runs worked`);
}

/**
 * Packs a copy of the checkout.
 *
 * @param copy where the copy is made.
 * @param target folder that the archive is written to.
 * @returns the archive's name; undefined if it failed, with what was printed.
 */
export async function packCheckout(
  copy: string,
  target: string,
): Promise<{ readonly archive: string | undefined; readonly output: string }> {
  await copyCheckout(copy);
  const { code, output } = await runCommand("npm", ["pack", "--pack-destination", target], { cwd: copy });
  return { archive: code === 0 ? (await readdir(target)).find((name) => name.endsWith(".tgz")) : undefined, output };
}

/** Copies files that git tracks or would track, and links the dependencies. */
async function copyCheckout(target: string): Promise<void> {
  const { output } = await runCommand("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
  for (const file of output.split("\0").filter((name) => name !== "")) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    // Skip files that are tracked but deleted in the work tree.
    await cp(REPOSITORY + file, join(target, file)).catch(ignoreMissing);
  }
  await symlink(`${REPOSITORY}node_modules`, join(target, "node_modules"));
}

function ignoreMissing(cause: unknown): void {
  if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause;
}
