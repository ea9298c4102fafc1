/** What Deno says of itself about web-platform-tests: `tests/wpt/runner/expectations` of its repository. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface DenoExpectations {
  /** Whether Deno passes a test of a file. False for files that it does not run. */
  passes(id: string, test: string): boolean;
}

/** A file's: all pass, all fail, or those that fail by name; folders nest. */
type Expectation =
  | boolean
  | { readonly expectedFailures?: readonly string[]; readonly ignore?: boolean }
  | { readonly [name: string]: Expectation };

/** @param root a checkout of denoland/deno. */
export async function readDenoExpectations(root: string): Promise<DenoExpectations> {
  const folder = join(root, "tests/wpt/runner/expectations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && name !== "schema.json");
  const trees = new Map<string, Expectation>();
  // Trusted as the checkout is.
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
