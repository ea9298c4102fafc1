/** A plugin of 250 KB, bundled with real libraries: lodash, marked and acorn, minified. */

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const SOURCE = `
import _ from "lodash";
import { marked } from "marked";
import { parse } from "acorn";
export function echo(args) { return args; }
export function unique(args) { return _.uniq(args.values); }
export function html(args) { return marked.parse(args.text); }
export function statements(args) { return parse(args.code, { ecmaVersion: 2022 }).body.length; }
`;
const EXPECTED_BYTES = { from: 230_000, to: 270_000 };

export interface Bundle {
  /** An ECMAScript module. */
  readonly module: string;
  /** A script that puts the exports into a global `plugin`. */
  readonly script: string;
}

/** @throws {Error} if the bundle does not have the size that the row states. */
export async function bundle250kb(): Promise<Bundle> {
  const made = { module: await bundle("esm"), script: await bundle("iife") };
  const { length } = made.script;
  if (length < EXPECTED_BYTES.from || length > EXPECTED_BYTES.to) throw new Error(`The bundle of 250 KB has ${length} bytes`);
  return made;
}

async function bundle(format: "esm" | "iife"): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: SOURCE, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    format,
    ...(format === "iife" && { globalName: "plugin" }),
  });
  return outputFiles[0]?.text ?? "";
}
