/** Types of the bundler behind `bascule vendor` and `bascule pack`. */

/** Bundles packages that an npm or jsr client has installed on disk into modules. */
export interface Bundler {
  bundle(request: BundleRequest): Promise<BundleOutcome>;
  /** Returns the modules behind a `jsr:` specifier in Deno's cache, or a message if that fails. */
  denoGraph(specifier: string, directory: string): Promise<ModuleGraph | string>;
  /** Bundles a plugin's own modules into one. */
  pack(request: PackRequest): Promise<PackOutcome>;
}

export interface PackRequest {
  /** Source of the entry module, as if it were a file in the plugin's folder. */
  readonly entry: string;
  /** The plugin's files, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Resolves an import to a file's path, a `node:` name, or the reason of a refusal. @param importer a file's path. */
  resolve(importer: string, specifier: string): PackTarget;
  /** `compilerOptions` as in deno.json, which decide how JSX and decorators compile. */
  readonly compilerOptions: Readonly<Record<string, string | boolean>>;
}

type PackTarget = { readonly file: string } | { readonly external: string } | { readonly refused: string };

export type PackOutcome =
  /** The module, its source map as JSON, and the files it was made from. */
  | { readonly ok: true; readonly code: string; readonly map: string; readonly inputs: readonly string[] }
  | { readonly ok: false; readonly reason: "not_installed" | "failed"; readonly message: string };

/** One module to make. */
export interface BundleEntry {
  /** Name of the file to make, without ".js". */
  readonly output: string;
  /** Specifier to import, as if from code in `directory`. */
  readonly specifier: string;
  /** Package of the entry. Entries of one package are built for the same platform. */
  readonly package: string;
  /** Exports that must exist if the package is CommonJS; empty for all exports of an ES module. */
  readonly names: readonly string[];
}

export interface BundleRequest {
  readonly entries: readonly BundleEntry[];
  /** Absolute path from which `node_modules` is searched upwards. */
  readonly directory: string;
  /** Modules that are found by their whole specifier. */
  readonly graph?: ModuleGraph;
  /** Node modules that the sandbox provides, with `node:`. */
  readonly nodeModules: ReadonlySet<string>;
}

export type BundleOutcome =
  /** Text by file name, inputs relative to the folder, and the Node modules that are missing. */
  | {
      readonly ok: true;
      readonly files: ReadonlyMap<string, string>;
      readonly inputs: readonly string[];
      readonly missing: readonly string[];
    }
  | { readonly ok: false; readonly reason: "not_installed" | "failed"; readonly message: string };

export interface ModuleGraph {
  /** By whole specifier: the local file, and the targets of its imports. */
  readonly modules: ReadonlyMap<string, { readonly local: string; readonly imports: ReadonlyMap<string, string> }>;
  readonly redirects: ReadonlyMap<string, string>;
}
