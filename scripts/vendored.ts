/** The packages in shipped plugins, bundled by `scripts/vendor-plugins.ts`. */

export interface Vendored {
  readonly plugin: string;
  /** Name of the bundle: `plugins/<plugin>/vendor/<name>.js`. */
  readonly name: string;
  /** A devDependency, with an exact version. */
  readonly package: string;
  /** The package's module that is bundled, relative to its folder. */
  readonly module: string;
  readonly licenceFile: string;
  /** Exports of the bundle, as a module that imports the package as "package". */
  readonly entry: string;
  /** Exports of internals that the package does not export, added at the end of `module`. */
  readonly append?: string;
  /** Modules that only unused parts of the package import; they are bundled as empty. */
  readonly absent?: readonly string[];
}

/** Vendored packages. To add one, add an entry here and a hand-written `<name>.d.ts` beside the bundle. */
export const VENDORED: readonly Vendored[] = [
  {
    plugin: "data",
    name: "jmespath",
    package: "@jmespath-community/jmespath",
    module: "dist/index.esm.js",
    licenceFile: "LICENSE",
    entry: `export { getRegisteredFunctions, lexer, parser, registerFunction, TreeInterpreter } from "package";`,
    // The package's errors have no position; its lexer and parser know it.
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
