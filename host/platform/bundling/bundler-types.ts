/** Types of the bundler behind `bascule vendor` and `bascule pack`. */

/** Bundles packages that an npm or jsr client has installed on disk into modules. */
export interface Bundler {
  bundle(request: BundleRequest): Promise<BundleOutcome>;
  /** Returns the modules behind a `jsr:` specifier in Deno's cache, or a message if that fails. */
  denoGraph(specifier: string, directory: string): Promise<ModuleGraph | string>;
  /** Downloads packages with npm, or else with Deno, without running their scripts. @returns a message if that fails */
  fetchPackages(request: FetchRequest): Promise<string | undefined>;
  /** Bundles a plugin's own modules into one. */
  pack(request: PackRequest): Promise<PackOutcome>;
  /** Words of a message that esbuild is missing, and commands that help. */
  readonly withoutEsbuild: { readonly reason: string; readonly advice: readonly string[] };
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

/**
 * Builds of a package, in the order in which they are tried: its files as Deno and bundlers choose them, as browsers do, or as Node does.
 * Browser builds come second because they may need a document, which a plugin does not have.
 */
export const PACKAGE_BUILDS = ["default", "browser", "node"] as const;
export type PackageBuild = (typeof PACKAGE_BUILDS)[number];

/** Export of a probe: the namespace of the package, with the names that `export *` does not find. */
export const PROBE = "bascule_probe";

/** One module to make. */
export interface BundleEntry {
  /** Name of the file to make, without ".js". */
  readonly output: string;
  /** Specifier to import, as if from code in `from`. */
  readonly specifier: string;
  /** Absolute path from which `node_modules` is searched upwards; absent for the request's directory. */
  readonly from?: string;
  /** Exports that `export *` does not find. Absent for a probe, which exports the whole namespace. */
  readonly exports?: {
    readonly names: readonly string[];
    /** Default export: none, the package's own, or the whole module. */
    readonly default: "absent" | "own" | "module";
  };
}

export interface BundleRequest {
  /** Modules that share their imports. */
  readonly entries: readonly BundleEntry[];
  readonly build: PackageBuild;
  /** Absolute path of the plugin's folder. */
  readonly directory: string;
  /** Modules that are found by their whole specifier. */
  readonly graph?: ModuleGraph;
  /** Node modules that the sandbox provides, with `node:`. */
  readonly nodeModules: ReadonlySet<string>;
}

/** A Node module that a package imports and plugins do not have. */
export interface MissingModule {
  readonly module: string;
  /** File of a package that imports it. */
  readonly importer?: string;
}

export interface BundledEntry {
  readonly isCommonJs: boolean;
  readonly missing: readonly MissingModule[];
}

export type BundleOutcome =
  /** Text by file name, source maps by file name with ".map", and facts by `output`. */
  | {
      readonly ok: true;
      readonly files: ReadonlyMap<string, string>;
      readonly maps: ReadonlyMap<string, string>;
      readonly entries: ReadonlyMap<string, BundledEntry>;
    }
  | { readonly ok: false; readonly reason: "not_installed" | "failed"; readonly message: string };

/** Packages to download, in npm's syntax: `lodash-es@^4`. */
export interface FetchRequest {
  readonly packages: readonly string[];
  /** Empty folder to fill. Its `node_modules` holds the packages. */
  readonly folder: string;
  /** Text of the project's `.npmrc`, which names registries and credentials. */
  readonly npmrc: string;
}

export interface ModuleGraph {
  /** By whole specifier: the local file, and the targets of its imports. */
  readonly modules: ReadonlyMap<string, { readonly local: string; readonly imports: ReadonlyMap<string, string> }>;
  readonly redirects: ReadonlyMap<string, string>;
}
