/** What an outside test suite is to the runner: a checkout, its test files, and a baseline of names. */

import type { Permissions } from "../../manifests/mod.ts";
import type { DenoResults } from "./deno-results.ts";

/** One suite is one file under `suites/` and one line in `main.ts`. */
export interface Suite {
  readonly name: string;
  /** The environment variable that says where the checkout is. */
  readonly variable: string;
  /** How to get a checkout. */
  readonly advice: string;
  /** Set where files are thousands of one test each: the files of a folder are one entry in the baseline, and each is a test of it. */
  readonly byFolder?: true;
  /** The test files of a checkout that can run in a sandbox, in a fixed order. */
  findCases(root: string): Promise<readonly Case[]>;
  /** Deno's own results of these test files; undefined if they cannot be told here. */
  askDeno?(root: string, ids: readonly string[]): Promise<DenoResults | undefined>;
}

/** One test file. */
export type Case = ScriptCase | TestFileCase;

/**
 * One test file as a plugin.
 *
 * Its `main.js` exports `run`, which logs one line a test: `RESULT_MARK` and JSON `[name, passed, message?]`. A call that
 * does not return is one failed test named `WHOLE_FILE` beside what was logged before.
 */
export interface ScriptCase {
  readonly kind: "script";
  /** The path in the checkout, with the variant if there are several; the key in the baseline. */
  readonly id: string;
  /** Of the test's own sources: a baseline is binding only for the same text. */
  readonly digest: string;
  readonly files: Readonly<Record<string, string>>;
  /** Files that the test may read (`Deno.readFile`), by the path that it asks for. Undefined: not found. */
  readFile(path: string): Promise<Uint8Array | undefined>;
}

/** One file with `Deno.test`, run as `bascule test` runs it. */
export interface TestFileCase {
  readonly kind: "tests";
  readonly id: string;
  readonly digest: string;
  readonly plugin: TestPlugin;
  /** Path in the plugin. */
  readonly file: string;
}

/** A plugin that holds test files and all that they import. */
export interface TestPlugin {
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Names in imports to paths in the plugin. */
  readonly imports: Readonly<Record<string, string>>;
  /** What the tests may ask for. Writing stays in temporary folders, and there is neither network nor other programs. */
  readonly grants: Permissions;
  /** What they find in their working directory, by path. */
  readonly workspace: ReadonlyMap<string, Uint8Array>;
}

export const RESULT_MARK = "\u0001result ";
export const WHOLE_FILE = "(the whole file)";

export interface TestResult {
  readonly name: string;
  readonly passed: boolean;
  readonly message?: string;
}

export interface CaseResult {
  readonly id: string;
  readonly digest: string;
  readonly tests: readonly TestResult[];
}
