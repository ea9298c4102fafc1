/** The packages that shipped plugins bring along, bundled by `scripts/vendor-plugins.ts`. */

export interface Vendored {
  readonly plugin: string;
  /** The file is `plugins/<plugin>/vendor/<name>.js`. */
  readonly name: string;
  /** A devDependency, with an exact version. */
  readonly package: string;
  /** Its module that is bundled, relative to the package's folder. */
  readonly module: string;
  readonly licenceFile: string;
  /** What the bundle exports, as a module that sees the package as "package". */
  readonly entry: string;
  /** Exports for what the package keeps to itself, added at the end of `module`. */
  readonly append?: string;
  /** Modules that only unused parts of the package import: they are bundled as empty. */
  readonly absent?: readonly string[];
}

/** A vendored package is one entry here, and a hand-written `<name>.d.ts` beside the bundle. */
export const VENDORED: readonly Vendored[] = [
  {
    plugin: "data",
    name: "jmespath",
    package: "@jmespath-community/jmespath",
    module: "dist/index.esm.js",
    licenceFile: "LICENSE",
    entry: `export { getRegisteredFunctions, lexer, parser, registerFunction, TreeInterpreter } from "package";`,
    // The package's errors carry no position; its lexer and parser know it.
    append: "export { Lexer_default as lexer, Parser_default as parser };",
  },
  {
    plugin: "data",
    name: "papaparse",
    package: "papaparse",
    module: "papaparse.js",
    licenceFile: "LICENSE",
    entry: `import Papa from "package"; export const { parse, unparse } = Papa;`,
    absent: ["stream"],
  },
  {
    plugin: "data",
    name: "jsonc-parser",
    package: "jsonc-parser",
    module: "lib/esm/main.js",
    licenceFile: "LICENSE.md",
    entry: `export { printParseErrorCode, visit } from "package";`,
  },
  {
    plugin: "math",
    name: "jsep",
    package: "jsep",
    module: "dist/jsep.js",
    licenceFile: "LICENSE",
    entry: `export { Jsep } from "package";`,
  },
  {
    plugin: "math",
    name: "ml-matrix",
    package: "ml-matrix",
    module: "src/index.js",
    licenceFile: "LICENSE",
    entry: `export { CholeskyDecomposition, EigenvalueDecomposition, LuDecomposition, Matrix, SingularValueDecomposition } from "package";`,
  },
];
