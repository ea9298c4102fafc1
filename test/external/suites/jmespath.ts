/** jmespath.test: the specification's own cases, against the query of the shipped plugin `data`. */

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { REPOSITORY } from "../../support/source-files.ts";
import { RESULT_MARK, type ScriptCase, type Suite } from "../suite.ts";

export const JMESPATH: Suite = {
  name: "jmespath",
  variable: "BASCULE_JMESPATH",
  advice: "git clone --depth 1 https://github.com/jmespath/jmespath.test",
  async findCases(root) {
    const plugin = await readPlugin();
    const names = (await readdir(join(root, "tests"))).filter((name) => name.endsWith(".json") && name !== "benchmarks.json").sort();
    return Promise.all(names.map((name) => toCase(root, name, plugin)));
  },
};

/** Modules of `query.ts`. */
async function readPlugin(): Promise<Readonly<Record<string, string>>> {
  const names = ["query.ts", "jmespath-functions.ts", "text-place.ts", "vendor/jmespath.js"];
  const texts = await Promise.all(names.map((name) => readFile(`${REPOSITORY}plugins/data/${name}`, "utf8")));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ""]));
}

async function toCase(root: string, name: string, plugin: Readonly<Record<string, string>>): Promise<ScriptCase> {
  const groups = await readFile(join(root, "tests", name), "utf8");
  return {
    kind: "script",
    id: name,
    digest: createHash("sha256").update(groups).digest("hex").slice(0, 12),
    // The first file is the entry module.
    files: { "main.js": PROGRAM, "groups.json": groups, ...plugin },
    readFile: () => Promise.resolve(undefined),
  };
}

/** A group has data and cases; a case has an expression with its result, or with a kind of error, which is only checked to be an error. */
const PROGRAM = `import { query } from "./query.ts";
import groups from "./groups.json" with { type: "json" };
const same = (a, b) => a === b || (typeof a === "object" && typeof b === "object" && a !== null && b !== null &&
  Array.isArray(a) === Array.isArray(b) && Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => same(a[key], b[key])));
export function run() {
  for (const [at, { given, cases }] of groups.entries()) for (const [index, one] of cases.entries()) {
    if (one.bench !== undefined) continue;
    let passed, message;
    try {
      const result = query(given, one.expression);
      passed = one.error === undefined && same(result, one.result);
      message = JSON.stringify(result);
    } catch (error) {
      passed = one.error !== undefined;
      message = error.message;
    }
    console.log(${JSON.stringify(RESULT_MARK)} + JSON.stringify([at + "." + index + " " + one.expression.slice(0, 80), passed, passed ? undefined : message]));
  }
}
`;
