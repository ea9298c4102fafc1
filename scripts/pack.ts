/**
 * Runs before and after `npm pack`: bundles the program and the library into `dist/program/`, writes the library's types into
 * `dist/types/`, and points `exports` of package.json there while packing.
 *
 * In a checkout `import "bascule"` means `host/mod.ts`, which needs no build. Under node_modules Node strips no types, so the
 * package has JavaScript with declarations. After an interrupted run, `node scripts/pack.ts after` restores package.json.
 */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { bundleInto } from "./bundle-program.ts";
import { REPOSITORY, runCommand } from "./run-command.ts";

const PACKAGE = `${REPOSITORY}package.json`;
const IN_CHECKOUT = `".": "./host/mod.ts"`;
const IN_PACKAGE = `".": { "types": "./dist/types/host/mod.d.ts", "require": "./dist/program/library.cjs", "default": "./dist/program/library.mjs" }`;

const phase = process.argv[2];
if (phase === "before") await prepare();
else if (phase === "after") swap(IN_PACKAGE, IN_CHECKOUT);
else throw new Error(`Cannot pack: phase is ${phase === undefined ? "missing" : `"${phase}"`} (give "before" or "after")`);

async function prepare(): Promise<void> {
  rmSync(`${REPOSITORY}dist/types`, { recursive: true, force: true });
  const [types] = await Promise.all([runCommand("tsc", ["-p", "tsconfig.build.json"]), bundleInto(`${REPOSITORY}dist/program`)]);
  if (types.code !== 0) throw new Error(`Cannot write the package's types:\n${types.output}`);
  swap(IN_CHECKOUT, IN_PACKAGE);
}

function swap(from: string, to: string): void {
  const text = readFileSync(PACKAGE, "utf8");
  if (text.includes(to)) return;
  if (!text.includes(from)) throw new Error(`Cannot change the exports of package.json: it has no ${from} (restore it from git)`);
  writeFileSync(PACKAGE, text.replace(from, to));
}
