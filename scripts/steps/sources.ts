/** The steps that check the sources: format, lint, types, generated files, tests. */

import { existsSync } from "node:fs";
import { sourceFiles } from "../../test/support/source-files.ts";
import { GENERATED } from "../generated.ts";
import { REPOSITORY, runCommand } from "../run-command.ts";
import { formatTotals, runTests } from "../vitest-run.ts";
import { type StepOutcome, outcomeOf } from "./step.ts";

/** TypeScript projects: the guest has its own types, and so do the console and the documentation's pages, which run in a browser. */
const TYPE_PROJECTS = ["tsconfig.json", "sandbox/guest/tsconfig.json", "console/tsconfig.json", "scripts/docs/assets/tsconfig.json"];

/** @param files paths to check; default: all */
export async function checkFormat(files: readonly string[] = []): Promise<StepOutcome> {
  const { code, output } = await runCommand("oxfmt", ["--check", "--no-error-on-unmatched-pattern", ...files]);
  return { ok: code === 0, note: code === 0 ? "formatted" : "not formatted (run npm run format)", output };
}

/** @param files paths to check; default: all */
export async function checkLint(files: readonly string[] = []): Promise<StepOutcome> {
  const { code, output } = await runCommand("oxlint", ["--format=unix", "--no-error-on-unmatched-pattern", ...files]);
  const count = (kind: string): number => output.match(new RegExp(`\\[${kind}/`, "g"))?.length ?? 0;
  return { ok: code === 0, note: `${count("Error")} errors, ${count("Warning")} warnings`, output };
}

/** @param only names of the plugins to check; default: all */
export async function checkTypes(only?: ReadonlySet<string>): Promise<StepOutcome> {
  const complaints: string[] = [];
  for (const project of TYPE_PROJECTS) {
    const { code, output } = await runCommand("tsc", ["--noEmit", "-p", project]);
    if (code !== 0) complaints.push(output);
  }
  const plugins = sourceFiles(["plugins"])
    .map((file) => file.path)
    .filter((path) => only === undefined || only.has(path.split("/")[1] ?? ""));
  for (const complaint of await checkPluginTypes(plugins)) complaints.push(complaint);
  const errors = complaints.join("\n").match(/(error TS|TS\d+ \[ERROR\])/g)?.length ?? 0;
  return outcomeOf(complaints, `${errors} type errors in ${TYPE_PROJECTS.length} projects and ${plugins.length} plugin files`);
}

/**
 * Plugins are Deno programs, so they are checked with Deno's own types; and with the types of their manifests, which are all they
 * may use.
 */
async function checkPluginTypes(plugins: readonly string[]): Promise<readonly string[]> {
  if (plugins.length === 0) return [];
  const folders = new Set(plugins.map((path) => path.split("/").slice(0, 2).join("/")));
  const runs = [runCommand("deno", ["check", "--quiet", ...plugins])];
  for (const folder of folders) runs.push(runCommand("tsc", ["--noEmit", "-p", folder]));
  const outcomes = await Promise.all(runs);
  return outcomes.filter(({ code }) => code !== 0).map(({ output }) => output);
}

export async function checkGenerated(): Promise<StepOutcome> {
  const complaints: string[] = [];
  for (const { file, script } of GENERATED) {
    const isThere = existsSync(REPOSITORY + script);
    const { code, output } = isThere
      ? await runCommand(process.execPath, [script, "--check"])
      : { code: 1, output: `"${script}", which writes ${file}, does not exist` };
    if (code !== 0) complaints.push(output.trim());
  }
  return outcomeOf(complaints, `${GENERATED.length - complaints.length} of ${GENERATED.length} fresh`);
}

export async function checkTests(): Promise<StepOutcome> {
  const run = await runTests("node", [], false);
  return { ok: run.ok, note: formatTotals(run), output: run.output, remarks: run.slowest };
}
