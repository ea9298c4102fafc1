/** Finds out which tests Deno itself passes: by running them, or from the expectations in its repository. */

import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withOwnNames } from "./own-names.ts";
import type { TestResult } from "./suite.ts";

export interface DenoResults {
  /** Returns whether Deno passes a test of a file. False for files that it does not run. */
  passes(id: string, test: string): boolean;
}

const DENO = fileURLToPath(new URL("../../node_modules/.bin/deno", import.meta.url));
const FILE_MS = 120_000;

/**
 * Runs test files with this repository's Deno, one after another.
 *
 * @param root the checkout, as working directory
 * @param imports addresses by name; default: the checkout's own configuration
 */
export async function runDeno(root: string, files: readonly string[], imports?: Readonly<Record<string, string>>): Promise<DenoResults> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-external-deno-"));
  const passed = new Set<string>();
  try {
    const config = join(folder, "deno.json");
    if (imports !== undefined) await writeFile(config, JSON.stringify({ imports }));
    const options = ["-A", "--no-check", "--no-lock", "--no-prompt", ...(imports === undefined ? [] : ["--config", config])];
    for (const [index, file] of files.entries()) {
      const report = join(folder, `${String(index)}.xml`);
      const env = { ...process.env, DENO_DIR: join(folder, "cache") };
      // `deno test` exits with 1 if a test fails, which the report shows; a file that ends the process has no report, and counts as failed.
      await new Promise<void>((resolve) => {
        execFile(DENO, ["test", ...options, `--junit-path=${report}`, file], { cwd: root, env, timeout: FILE_MS }, () => resolve());
      });
      const text = await readFile(report, "utf8").catch(() => "");
      for (const test of withOwnNames(readReport(text))) if (test.passed) passed.add(`${file}: ${test.name}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { passes: (id, test) => passed.has(`${id}: ${test}`) };
}

/** Reads the tests of a JUnit report; ignored tests did not pass. */
function readReport(text: string): readonly TestResult[] {
  const found = text.matchAll(/<testcase name="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs);
  return [...found].map(([, name = "", body = ""]) => ({ name: unescape(name), passed: !/<(?:failure|error|skipped)\b/.test(body) }));
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescape(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}

/** Expectation for a file: all pass, all fail, or the failing tests by name; folders nest. */
type Expectation =
  | boolean
  | { readonly expectedFailures?: readonly string[]; readonly ignore?: boolean }
  | { readonly [name: string]: Expectation };

/**
 * Reads Deno's own expectations for web-platform-tests.
 *
 * @param root a checkout of denoland/deno
 */
export async function readDenoExpectations(root: string): Promise<DenoResults> {
  const folder = join(root, "tests/wpt/runner/expectations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && name !== "schema.json");
  const trees = new Map<string, Expectation>();
  // Trusted like the checkout itself.
  for (const name of names) trees.set(name.slice(0, -5), JSON.parse(await readFile(join(folder, name), "utf8")) as Expectation);
  return {
    passes(id, test) {
      const [path = "", query = ""] = id.split(/(?=\?)/);
      const [suite = "", ...parts] = path.replace(/\.js$/, "").split("/");
      const file = parts.pop() ?? "";
      let tree = trees.get(suite);
      for (const part of parts) tree = at(tree, part);
      const found = at(tree, `${file}.html${query}`) ?? at(tree, `${file}.worker.html${query}`);
      if (found === undefined || typeof found === "boolean") return found === true;
      const { expectedFailures = [], ignore = false } = found as {
        readonly expectedFailures?: readonly string[];
        readonly ignore?: boolean;
      };
      return !ignore && !expectedFailures.includes(test.replace(/ #\d+$/, ""));
    },
  };
}

function at(tree: Expectation | undefined, name: string): Expectation | undefined {
  return typeof tree === "object" && Object.hasOwn(tree, name) ? (tree as Readonly<Record<string, Expectation>>)[name] : undefined;
}
