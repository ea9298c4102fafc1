/** What makes modules of modules: for `bascule vendor` and `bascule pack`. */

/** Makes modules of packages that a client of npm or jsr has put on the disk. */
export interface Bundler {
  bundle(request: BundleRequest): Promise<BundleOutcome>;
  /** The modules behind a `jsr:` specifier, as Deno keeps them, or why not. */
  denoGraph(specifier: string, directory: string): Promise<ModuleGraph | string>;
  /** Makes one module of a plugin's own. */
  pack(request: PackRequest): Promise<PackOutcome>;
}

export interface PackRequest {
  /** Code of the module to make, as if it were a file in the plugin's folder. */
  readonly entry: string;
  /** The plugin's files, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What an import leads to: a file's path, a `node:` name, or why to nothing. @param importer a file's path. */
  resolve(importer: string, specifier: string): PackTarget;
  /** `compilerOptions` as in deno.json: how JSX and decorators are meant. */
  readonly compilerOptions: Readonly<Record<string, string | boolean>>;
}

export type PackTarget = { readonly file: string } | { readonly external: string } | { readonly refused: string };

export type PackOutcome =
  /** The module, its source map as JSON, and the files that are in it. */
  | { readonly ok: true; readonly code: string; readonly map: string; readonly inputs: readonly string[] }
  | { readonly ok: false; readonly reason: "not_installed" | "failed"; readonly message: string };

/** One module to make. */
export interface BundleEntry {
  /** Name of the file to make, without ".js". */
  readonly output: string;
  /** What is imported, as in code of `directory`. */
  readonly specifier: string;
  /** Entries of one package are built for the same platform. */
  readonly package: string;
  /** Exports that must be there, where the package is CommonJS; none for all that an ES module has. */
  readonly names: readonly string[];
}

export interface BundleRequest {
  readonly entries: readonly BundleEntry[];
  /** Absolute: where `node_modules` is looked for, upwards. */
  readonly directory: string;
  /** Modules that are found by their whole specifier. */
  readonly graph?: ModuleGraph;
  /** Names that the sandbox has of Node's own modules, with `node:`. */
  readonly nodeModules: ReadonlySet<string>;
}

export type BundleOutcome =
  /** Text by file name, what it was made of, relative to the folder, and the modules of Node's that it is left without. */
  | {
      readonly ok: true;
      readonly files: ReadonlyMap<string, string>;
      readonly inputs: readonly string[];
      readonly missing: readonly string[];
    }
  | { readonly ok: false; readonly reason: "not_installed" | "failed"; readonly message: string };

export interface ModuleGraph {
  /** By whole specifier: the file, and what its imports lead to. */
  readonly modules: ReadonlyMap<string, { readonly local: string; readonly imports: ReadonlyMap<string, string> }>;
  readonly redirects: ReadonlyMap<string, string>;
}
