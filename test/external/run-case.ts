/** Runs one file of an outside suite in the sandbox and reads its results. */

import { DEFAULT_LIMITS, type Limits } from "../../manifests/mod.ts";
import type { HostAnswer, HostOperation } from "../../sandbox/mod.ts";
import type { TestSandbox } from "../support/sandbox.ts";
import { withOwnNames } from "./own-names.ts";
import { type CaseResult, RESULT_MARK, type ScriptCase, type TestResult, WHOLE_FILE } from "./suite.ts";

/** Suites log their results and build large tables, so the limits are high; a hanging test file is ended by time. */
const LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  wallMs: 90_000,
  cpuMs: 90_000,
  logBytes: 64 << 20,
  operations: 1_000_000,
  operationBytes: 64 << 20,
};
/** A generous timeout: on a busy machine 2 seconds become 10. */
const LOAD_MS = 60_000;
const MAX_RESULTS = 200_000;

/** Never rejects because of a test file; a file that does not return is the failed test `WHOLE_FILE`. */
export async function runCase(sandbox: TestSandbox, test: ScriptCase): Promise<CaseResult> {
  const tests: TestResult[] = [];
  const result = { id: test.id, digest: test.digest, tests };
  const plugin = `${test.id} ${test.digest}`;
  const loaded = await sandbox.load(plugin, { ...test.files }, ["run"], LOAD_MS);
  if (!loaded.ok) {
    tests.push({ name: WHOLE_FILE, passed: false, message: `It does not load: ${loaded.fault.message}` });
    return result;
  }
  try {
    const outcome = await sandbox.call(plugin, "run", {
      module: "main.js",
      limits: LIMITS,
      hostCall: (operation) => answer(test, operation),
      onLog: (_level, text) => {
        const found = tests.length < MAX_RESULTS ? readResult(text) : undefined;
        if (found !== undefined) tests.push(found);
      },
    });
    if (!outcome.ok) tests.push({ name: WHOLE_FILE, passed: false, message: JSON.stringify(outcome.fault) });
  } finally {
    sandbox.sandbox.unload(plugin);
  }
  return { ...result, tests: withOwnNames(tests) };
}

async function answer(test: ScriptCase, { name, args }: HostOperation): Promise<HostAnswer> {
  const given = typeof args === "object" && args !== null && "path" in args ? args["path"] : undefined;
  const path = typeof given === "string" ? given : "";
  const bytes = name === "fs.readFile" ? await test.readFile(path) : undefined;
  if (bytes !== undefined) return { ok: true, value: null, bytes };
  return { ok: false, error: { name: "NotFound", message: `No such file or directory (os error 2): ${path}`, code: "ENOENT" } };
}

function readResult(text: string): TestResult | undefined {
  if (!text.startsWith(RESULT_MARK)) return undefined;
  const parsed: unknown = JSON.parse(text.slice(RESULT_MARK.length));
  if (!Array.isArray(parsed)) return undefined;
  const [name, passed, message] = parsed as readonly unknown[];
  if (typeof name !== "string" || typeof passed !== "boolean") return undefined;
  return { name, passed, ...(typeof message === "string" && { message }) };
}
