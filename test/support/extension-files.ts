/** Reads files of `extensions/` and of the repository, for tests. */

import { readFileSync } from "node:fs";
import { REPOSITORY } from "./source-files.ts";

/** Returns the text of a file. @param path relative to the repository */
export function readText(path: string): string {
  return readFileSync(REPOSITORY + path, "utf8");
}

/** Returns the contents of a JSON file; the test asserts its shape. @param path relative to the repository */
export function readJson(path: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readText(path)) as Readonly<Record<string, unknown>>;
}
