/**
 * Runs before and after `npm pack`: bundles the program and the library into `dist/program/`, writes the library's types into
 * `dist/types/`, and gives package.json the entries of the package while packing.
 *
 * In a checkout `import "bascule"` means `host/mod.ts`, which needs no build. Under node_modules Node strips no types, so the
 * package has JavaScript with declarations. After an interrupted run, `node scripts/pack.ts after` restores package.json.
 */

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { bundleInto } from "./bundle-program.ts";
import { REPOSITORY, runCommand } from "./run-command.ts";

const PACKAGE = `${REPOSITORY}package.json`;
/** The checkout's own package.json while packing. */
const KEPT = `${REPOSITORY}dist/package.json`;
const PROGRAM = "./dist/program/";
const TYPES = "./dist/types/host/mod.d";

const phase = process.argv[2];
if (phase === "before") await prepare();
else if (phase === "after") restore();
else throw new Error(`Cannot pack: phase is ${phase === undefined ? "missing" : `"${phase}"`} (give "before" or "after")`);

async function prepare(): Promise<void> {
  restore();
  rmSync(`${REPOSITORY}dist/types`, { recursive: true, force: true });
  const [types] = await Promise.all([runCommand("tsc", ["-p", "tsconfig.build.json"]), bundleInto(`${REPOSITORY}dist/program`)]);
  if (types.code !== 0) throw new Error(`Cannot write the package's types:\n${types.output}`);
  writeFileSync(REPOSITORY + `${TYPES}.cts`, await typesForRequire());
  const text = readFileSync(PACKAGE, "utf8");
  writeFileSync(KEPT, text);
  writeFileSync(PACKAGE, `${JSON.stringify(packaged(JSON.parse(text) as Fields), undefined, 2)}\n`);
}

/** Restores package.json if it is the package's own. A copy of an interrupted run is removed if package.json was restored since. */
function restore(): void {
  if (!existsSync(KEPT)) return;
  if ("main" in JSON.parse(readFileSync(PACKAGE, "utf8"))) renameSync(KEPT, PACKAGE);
  else rmSync(KEPT);
}

type Fields = Readonly<Record<string, unknown>> & { readonly exports: object };

/** Returns the fields of the published package: entries that are built, and no commands of the checkout. */
function packaged({ scripts: _scripts, devDependencies: _tools, allowScripts: _allowed, ...fields }: Fields): object {
  const required = { types: `${TYPES}.cts`, default: `${PROGRAM}library.cjs` };
  const imported = { types: `${TYPES}.ts`, default: `${PROGRAM}library.mjs` };
  return {
    ...fields,
    main: required.default,
    types: required.types,
    exports: { ...fields.exports, ".": { require: required, default: imported } },
  };
}

/**
 * Returns the declarations for `require("bascule")`, which resolve to a CommonJS file: the same types, and each value by its name. A file of
 * re-exports would be an error there, because CommonJS cannot statically load a module.
 */
async function typesForRequire(): Promise<string> {
  const library = (await import(`../${PROGRAM}mod.js`)) as Readonly<Record<string, unknown>>;
  const mode = `with { "resolution-mode": "import" }`;
  const source = `import("./mod.js", { with: { "resolution-mode": "import" } })`;
  const values = Object.entries(library).flatMap(([name, value]) => [
    `export declare const ${name}: typeof ${source}.${name};`,
    // A class is a type too, which the constant of the same name hides.
    ...(/^class\b/u.test(String(value)) ? [`export type ${name} = ${source}.${name};`] : []),
  ]);
  return [`export type * from "./mod.js" ${mode};`, ...values, ""].join("\n");
}
