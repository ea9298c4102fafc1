/** Interface of an outside test suite: a checkout, its test files, and a baseline of names. */

import type { Permissions } from "../../manifests/mod.ts";
import type { DenoResults } from "./deno-results.ts";

/** One suite: a file under `suites/` and a line in `main.ts`. */
export interface Suite {
  readonly name: string;
  /** Environment variable with the path of the checkout. */
  readonly variable: string;
  /** How to get a checkout. */
  readonly advice: string;
  /**
   * Set if the suite has thousands of files with one test each: then the baseline has one entry for each folder, and each file is
   * a test of it.
   */
  readonly byFolder?: true;
  /** Returns the test files of a checkout that can run in a sandbox, in a fixed order. */
  findCases(root: string): Promise<readonly Case[]>;
  /** Returns Deno's own results of these test files; undefined if they are not available here. */
  askDeno?(root: string, ids: readonly string[]): Promise<DenoResults | undefined>;
}

/** One test file. */
export type Case = ScriptCase | TestFileCase;

/**
 * One test file as a plugin.
 *
 * Its `main.js` exports `run`, which logs one line for each test: `RESULT_MARK` and JSON `[name, passed, message?]`. If the call
 * does not return, the tests logged so far count, and one failed test named `WHOLE_FILE`.
 */
export interface ScriptCase {
  readonly kind: "script";
  /** Path in the checkout, with the variant if there are several; the key in the baseline. */
  readonly id: string;
  /** Hash of the test's own sources: a baseline is binding only for the same text. */
  readonly digest: string;
  readonly files: Readonly<Record<string, string>>;
  /** Returns files that the test may read (`Deno.readFile`) by the requested path. Undefined: not found. */
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

/** A plugin with test files and all modules that they import. */
export interface TestPlugin {
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Paths in the plugin by the names in imports. */
  readonly imports: Readonly<Record<string, string>>;
  /** Permissions of the tests. They write to temporary folders only, and have neither network nor other programs. */
  readonly grants: Permissions;
  /** Files in the working directory, by path. */
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
