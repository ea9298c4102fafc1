/** Runs files with `Deno.test` as `bascule test` does: through dispatch, with the host's files and decisions. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createHost } from "../../host/mod.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import type { Log, Platform } from "../../host/platform/platform.ts";
import { createPolicy } from "../../host/policy/policy.ts";
import { narrowingPolicy } from "../../host/testing/narrowing-policy.ts";
import type { FileOutcome, TestOutcome } from "../../host/testing/outcome.ts";
import { runTestFile } from "../../host/testing/run-tests.ts";
import { toTestPlugin, writeCopy } from "../../host/testing/test-copy.ts";
import { parseManifest, type Permissions, problemToText, raisedLimits } from "../../manifests/mod.ts";
import { createStackReader, type EngineBuild } from "../../sandbox/mod.ts";
import { withOwnNames } from "./own-names.ts";
import { type CaseResult, type TestFileCase, type TestPlugin, type TestResult, WHOLE_FILE } from "./suite.ts";

/** Runs all files of one plugin, one after another; `onResult` receives the results of each. */
export async function runTestFiles(
  cases: readonly TestFileCase[],
  engine: EngineBuild,
  onResult: (result: CaseResult) => void,
): Promise<void> {
  const [first] = cases;
  if (first === undefined) return;
  const { plugin } = first;
  const root = await realpath(await mkdtemp(join(tmpdir(), "bascule-external-")));
  try {
    await using bench = await openBench(plugin, engine, root);
    for (const { id, digest, file } of cases) onResult({ id, digest, tests: withOwnNames(toResults(await bench.run(file))) });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

interface Bench extends AsyncDisposable {
  run(file: string): Promise<FileOutcome>;
}

async function openBench(plugin: TestPlugin, engine: EngineBuild, root: string): Promise<Bench> {
  const platform = withEngine(currentPlatform(), engine);
  const { environment } = platform;
  const grants = confine(plugin.grants, root);
  const own = createPolicy({
    root,
    grants: { find: () => undefined },
    runGrants: { base: root, perPlugin: new Map([[plugin.name, grants]]) },
    acceptedLimits: ({ manifest }) => raisedLimits(manifest),
    folders: { tmp: environment.tmp, home: environment.home, data: `${root}/data` },
  });
  const { policy, narrow } = narrowingPolicy(own);
  const text = manifestOf(plugin, grants);
  const parsed = parseManifest(text);
  if (!parsed.ok) throw new Error(`The manifest of ${plugin.name} is invalid: ${parsed.problems.map(problemToText).join("; ")}`);
  const files = new Map([...plugin.files, ["manifest.json", new TextEncoder().encode(text)]]);
  await writeCopy(platform, `${root}/plugins`, toTestPlugin({ manifest: parsed.value, files }, grants));
  const host = await createHost({ platform, plugins: `${root}/plugins`, config: false, workspace: root, logger: SILENT, policy });
  await host.accept(plugin.name, host.plugins()[0]?.digest ?? "");
  const authorStack = await createStackReader(files);
  let workspaces = 0;
  return {
    run: (file) =>
      runTestFile({
        ...{ plugin: plugin.name, file, host, sanitizeOps: false, sanitizeResources: false },
        grants: plugin.grants,
        narrow: (permissions) => narrow(permissions === undefined ? undefined : confine(permissions, root)),
        newWorkspace: () => makeWorkspace(`${root}/workspace-${String(++workspaces)}`, plugin.workspace),
        authorStack: (stack) => Promise.resolve(authorStack(stack)),
        onEvent: () => {},
        signal: new AbortController().signal,
      }),
    [Symbol.asyncDispose]: () => host.close(),
  };
}

function manifestOf({ name, imports }: TestPlugin, grants: Permissions): string {
  const tool = { name: "unused", description: "Is replaced by the tool that runs tests", inputSchema: { type: "object" }, sideEffects: [] };
  const about = { schemaVersion: "1.0", name, version: "1.0.0", description: `Tests of ${name}` };
  // The manifest's permissions: those that the tests need.
  const limits = { memoryBytes: 512 * 1024 * 1024 };
  return JSON.stringify({ ...about, imports, permissions: grants, limits, tools: [tool] });
}

/** Outside tests may write to temporary folders only, and have neither network nor other programs. */
function confine({ read, write, env }: Permissions, root: string): Permissions {
  return {
    ...(read !== undefined && { read }),
    ...(write !== undefined && { write: write === true ? [dirname(root)] : write }),
    ...(env !== undefined && { env }),
  };
}

async function makeWorkspace(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<string> {
  await mkdir(folder);
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  return folder;
}

function toResults({ results, error }: FileOutcome): readonly TestResult[] {
  const tests = results.filter(({ status }) => status !== "ignored").map(toResult);
  return error === undefined ? tests : [...tests, { name: WHOLE_FILE, passed: false, message: `${error.message}\n${error.stack}` }];
}

/** Steps count with their test, as in Deno's summary of tests. */
function toResult({ name, status, error, steps }: TestOutcome): TestResult {
  if (status === "ok") return { name, passed: true };
  const failed = steps.filter((step) => step.status === "failed").map((step) => `${step.name}: ${toResult(step).message ?? ""}`);
  const message = [status, error?.message ?? "", error?.stack ?? "", ...failed].filter((part) => part !== "").join("\n");
  return { name, passed: false, message };
}

const SILENT: Log = { write: () => {}, child: () => SILENT };

function withEngine(platform: Platform, engine: EngineBuild): Platform {
  return { ...platform, workers: { ...platform.workers, engine } };
}
