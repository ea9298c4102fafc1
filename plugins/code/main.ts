/** Tools for programmers. `js_eval` runs in the sandbox; the other tools start programs and need the host route. */

import type { Context, GitStatusArgs, GitStatusOutput, JsEvalArgs, JsEvalOutput, LintCodeOutput, RunTestsOutput } from "./bascule.d.ts";
import { chooseCommand, type Project } from "./project.ts";
import { run } from "./run.ts";
import { parseStatus } from "./status.ts";

/** Evaluates an expression; if the code is not one, runs it as the body of an async function. */
export async function js_eval({ code, input }: JsEvalArgs, context: Context): Promise<JsEvalOutput> {
  // Refuse to run natively: the code would get every other grant of this plugin.
  if (!isSandbox()) throw context.error('js_eval runs in the sandbox only (keep its route at "wasm")');
  const evaluate = compile(`return (${code}\n);`) ?? compile(code);
  if (typeof evaluate !== "function") throw context.error(`The code is not JavaScript: ${evaluate ?? "it does not parse"}`);
  return { result: (await evaluate(input)) ?? null };
}

/** Returns `git status` of a folder. */
export async function git_status({ path }: GitStatusArgs, context: Context): Promise<GitStatusOutput> {
  // Programs named in the repository's own configuration are not run: a downloaded folder must not be trusted when it is inspected.
  const quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks"];
  const { exitCode, output, errors } = await run(
    "git",
    [...quiet, "-C", path, "status", "--porcelain=v2", "--branch", "-z"],
    context.signal,
  );
  if (exitCode !== 0) throw context.error(errors.trim() === "" ? `git ended with exit code ${exitCode}` : errors.trim());
  return parseStatus(output);
}

/** Runs the project's tests. */
export async function run_tests(_args: object, context: Context): Promise<RunTestsOutput> {
  return await runScript("test", context);
}

/** Runs the project's linter. */
export async function lint_code(_args: object, context: Context): Promise<LintCodeOutput> {
  return await runScript("lint", context);
}

const MAX_OUTPUT = 32_000;

async function runScript(script: "test" | "lint", context: Context): Promise<RunTestsOutput> {
  const command = chooseCommand(script, await lookAtProject());
  if (command === undefined) throw context.error(`Unknown npm script "${script}", and no deno.json found`);
  const [program, ...args] = command;
  const { exitCode, output, errors } = await run(program, args, context.signal);
  return { command: command.join(" "), passed: exitCode === 0, exitCode, output: `${output}${errors}`.slice(-MAX_OUTPUT) };
}

async function lookAtProject(): Promise<Project> {
  const [packageJson, denoJson, denoJsonc] = await Promise.all(["package.json", "deno.json", "deno.jsonc"].map(readOrUndefined));
  return { ...(packageJson !== undefined && { packageJson }), hasDeno: denoJson !== undefined || denoJsonc !== undefined };
}

async function readOrUndefined(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** V8's API is missing in the sandbox. */
function isSandbox(): boolean {
  return typeof Deno !== "undefined" && Deno.version.v8 === "0.0.0";
}

type Evaluated = (input: unknown) => Promise<JsEvalOutput["result"]>;

/** Compiles the code. Returns the function, the syntax error, or undefined for empty code. */
function compile(body: string): Evaluated | string | undefined {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- it is what the tool is for, and the sandbox is what holds it
    const make = new Function(`return async (input) => {${body}\n};`) as () => Evaluated;
    return make();
  } catch (error) {
    return body.startsWith("return (") ? undefined : error instanceof Error ? error.message : undefined;
  }
}
