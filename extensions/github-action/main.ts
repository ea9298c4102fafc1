/** The GitHub Action: checks, tests and signs plugins, and annotates the lines of problems. Runs on the runner's Node 24, unbuilt. */

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";

interface Problem {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

interface CheckDocument {
  readonly plugins: readonly {
    readonly name: string;
    readonly state: string;
    readonly directory: string;
    readonly problems: readonly Problem[];
  }[];
}

interface TestResult {
  readonly name: string;
  readonly status: string;
  readonly place?: string;
  readonly error?: { readonly message: string };
  readonly steps: readonly TestResult[];
}

interface TestDocument {
  readonly ok: boolean;
  readonly passed: number;
  readonly files: readonly {
    readonly plugin: string;
    readonly file: string;
    readonly results: readonly TestResult[];
    readonly error?: { readonly message: string };
  }[];
}

interface Annotation extends Problem {
  /** Heading of the annotation. */
  readonly title: string;
}

/** GitHub shows ten errors and ten warnings of a step; the log has these. */
const MAX_ANNOTATIONS = 100;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** A range or a tag could become another program tomorrow. */
const EXACT_VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

class ActionError extends Error {
  override readonly name = "ActionError";
}

try {
  process.exitCode = await main();
} catch (error) {
  annotate([{ severity: "error", title: "Bascule", message: error instanceof ActionError ? error.message : String(error) }]);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const workspace = resolve(process.env["GITHUB_WORKSPACE"] ?? ".");
  const folder = resolve(workspace, input("working-directory") || ".");
  const names = input("sign").split(/\s+/).filter(Boolean);
  const key = input("key");
  if (names.length > 0 && key === "")
    throw new ActionError(`Cannot sign ${names.join(", ")}: input "key" is empty (pass a secret with a private key)`);
  const bascule = await findBascule(folder, workspace);
  const run = (...args: readonly string[]): Promise<unknown> => runJson(bascule, args, folder);

  const check = (await run("check")) as CheckDocument;
  const problems = check.plugins.flatMap(({ name, directory, problems: found }) =>
    found.map((problem): Annotation => ({ ...problem, title: name, file: pathIn(workspace, directory, problem.file) })),
  );
  const broken = check.plugins.filter(({ state, problems: found }) => state === "failed" || state === "ignored" || found.some(isError));
  const folders = new Map(check.plugins.map(({ name, directory }) => [name, directory]));
  const tests = input("test") === "false" ? undefined : ((await run("test")) as TestDocument);
  const failed = tests === undefined ? [] : failedTests(tests, (plugin, file) => pathIn(workspace, folders.get(plugin) ?? folder, file));
  annotate([...problems, ...failed]);

  const isGood = broken.length === 0 && tests?.ok !== false;
  const signed = isGood ? await signAll(names, { key, run }) : [];
  const ok = isGood && signed.length === names.length;
  output({ ok, problems: problems.length, "failed-tests": failed.length, signed: JSON.stringify(signed) });
  summarize(check, { failed, passed: tests?.passed, signed });
  if (!isGood && names.length > 0) log(`Not signed: ${names.join(", ")} (check and test have to pass first)`);
  return ok ? 0 : 1;
}

function input(name: string): string {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

/** Returns the project's own bascule, or installs the wanted version beside the checkout. */
async function findBascule(folder: string, workspace: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const own = join(at, "node_modules/bascule/bin/bascule.mjs");
    if (existsSync(own)) return own;
    if (at === workspace || at === dirname(at)) break;
  }
  const version = input("version");
  if (!EXACT_VERSION.test(version)) throw new ActionError(`Input "version" must be an exact version such as 0.1.0, not "${version}"`);
  const target = mkdtempSync(join(process.env["RUNNER_TEMP"] ?? tmpdir(), "bascule-"));
  const install = ["install", "--prefix", target, "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", `bascule@${version}`];
  const { code, out } = await runProgram("npm", install, { cwd: target, shell: process.platform === "win32" });
  if (code !== 0) throw new ActionError(`Cannot install bascule ${version} with npm\n${out}`);
  return join(target, "node_modules/bascule/bin/bascule.mjs");
}

/** Returns the document that a command prints, also one about failures. */
async function runJson(bascule: string, args: readonly string[], cwd: string): Promise<unknown> {
  const { out, errors } = await runProgram(process.execPath, [bascule, ...args, "--json"], { cwd });
  let document: { readonly error?: { readonly message: string; readonly hints?: readonly string[] } };
  try {
    document = JSON.parse(out) as typeof document;
  } catch {
    throw new ActionError(`bascule ${args.join(" ")} printed no JSON\n${out}${errors}`);
  }
  if (document.error !== undefined) throw new ActionError([document.error.message, ...(document.error.hints ?? [])].join("\n"));
  return document;
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

function runProgram(command: string, args: readonly string[], options: { readonly cwd: string; readonly shell?: boolean }): Promise<Ran> {
  // Plugins get no environment unless it is granted; this keeps the key from everything else that bascule starts.
  const { INPUT_KEY: _key, ...env } = process.env;
  const child = spawn(command, args, { ...options, env, stdio: ["ignore", "pipe", "pipe"] });
  const { promise, resolve: done, reject } = Promise.withResolvers<Ran>();
  const pieces: { out: Buffer[]; errors: Buffer[] } = { out: [], errors: [] };
  let bytes = 0;
  const keep = (list: Buffer[]) => (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > MAX_OUTPUT_BYTES) child.kill();
    else list.push(piece);
  };
  child.stdout.on("data", keep(pieces.out));
  child.stderr.on("data", keep(pieces.errors));
  child.on("error", (error) => reject(new ActionError(`Cannot run ${command}: ${error.message}`)));
  child.on("close", (code) =>
    done({ code: code ?? 1, out: Buffer.concat(pieces.out).toString(), errors: Buffer.concat(pieces.errors).toString() }),
  );
  return promise;
}

function failedTests({ files }: TestDocument, pathOf: (plugin: string, file: string) => string): readonly Annotation[] {
  return files.flatMap(({ plugin, file, results, error }) => [
    ...(error === undefined ? [] : [{ severity: "error" as const, title: plugin, message: error.message, file: pathOf(plugin, file) }]),
    ...results.filter(({ status }) => status === "failed").map((result) => failedTest(result, plugin, { file, pathOf })),
  ]);
}

function failedTest(
  { name, place = "", error, steps }: TestResult,
  plugin: string,
  { file, pathOf }: { readonly file: string; readonly pathOf: (plugin: string, file: string) => string },
): Annotation {
  const [, at = file, line, column] = /^(.+):(\d+):(\d+)$/.exec(place) ?? [];
  const step = steps.find(({ status }) => status === "failed");
  const message = error?.message ?? step?.error?.message ?? "Failed";
  const where = line === undefined ? {} : { line: Number(line), column: Number(column) };
  return { severity: "error", title: `${plugin}: ${name}`, message, file: pathOf(plugin, at), ...where };
}

interface Signed {
  readonly plugin: string;
  readonly digest: string;
  readonly signer: string;
}

async function signAll(
  names: readonly string[],
  { key, run }: { readonly key: string; readonly run: (...args: readonly string[]) => Promise<unknown> },
): Promise<readonly Signed[]> {
  if (names.length === 0) return [];
  const folder = mkdtempSync(join(process.env["RUNNER_TEMP"] ?? tmpdir(), "bascule-key-"));
  try {
    const file = join(folder, "key.pem");
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
    const signed: Signed[] = [];
    for (const name of names) {
      const { plugin, digest, signer } = (await run("sign", name, `--key=${file}`)) as Signed;
      signed.push({ plugin, digest, signer });
    }
    return signed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function pathIn(workspace: string, directory: string, file = "manifest.json"): string {
  return relative(workspace, join(directory, file)).replaceAll("\\", "/");
}

function isError({ severity }: Problem): boolean {
  return severity === "error";
}

/** Prints workflow commands. The text may come from a hostile plugin: escaped, it stays data. */
function annotate(annotations: readonly Annotation[]): void {
  for (const { severity, title, message, file, line, column } of annotations.slice(0, MAX_ANNOTATIONS)) {
    const fields = { file, line, col: column, title };
    const properties = Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${escapeProperty(String(value))}`],
    );
    process.stdout.write(`::${severity === "error" ? "error" : "warning"} ${properties.join(",")}::${escapeData(message)}\n`);
  }
  if (annotations.length > MAX_ANNOTATIONS) log(`${annotations.length - MAX_ANNOTATIONS} more problems are not shown`);
}

/** Prints a line in which GitHub sees no workflow command. */
function log(text: string): void {
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n${text}\n::${token}::\n`);
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function output(values: Readonly<Record<string, string | number | boolean>>): void {
  const file = process.env["GITHUB_OUTPUT"];
  if (file === undefined) return;
  const end = randomUUID();
  appendFileSync(
    file,
    Object.entries(values)
      .map(([name, value]) => `${name}<<${end}\n${value}\n${end}\n`)
      .join(""),
  );
}

function summarize(
  { plugins }: CheckDocument,
  {
    failed,
    passed,
    signed,
  }: { readonly failed: readonly Annotation[]; readonly passed: number | undefined; readonly signed: readonly Signed[] },
): void {
  const file = process.env["GITHUB_STEP_SUMMARY"];
  if (file === undefined) return;
  const rows = plugins.map(({ name, state, problems }) => {
    const signer = signed.find(({ plugin }) => plugin === name)?.signer ?? "";
    return `| ${[name, state, String(problems.length), signer].map(escapeMarkdown).join(" | ")} |`;
  });
  const tests = passed === undefined ? [] : [`${passed} tests passed, ${failed.length} failed`, ""];
  appendFileSync(file, [...tests, "| plugin | state | problems | signed by |", "| --- | --- | --- | --- |", ...rows, ""].join("\n"));
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_{}[\]<>|#!&~@]/g, "\\$&");
}
