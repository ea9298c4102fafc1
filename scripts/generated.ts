/** The generated files of the repository and the scripts that write them. */

export interface Generated {
  /** Path of the output, relative to the repository. */
  readonly file: string;
  /**
   * Command that writes the file; with `--check` it only compares, and exits with 1 on a difference. `docs/spec.md` is not
   * committed, so it is not compared.
   */
  readonly script: string;
}

/** Generated files. To add one, add an entry here. */
export const GENERATED: readonly Generated[] = [
  { file: "sandbox/image/prelude.gen.ts", script: "scripts/build-guest.ts" },
  { file: "sandbox/image/prelude-hash.gen.ts", script: "scripts/build-guest.ts" },
  { file: "sandbox/loading/node-modules.gen.ts", script: "scripts/build-node-modules.ts" },
  { file: "sandbox/loading/loader.gen.ts", script: "scripts/generate-loader.ts" },
  { file: "manifests/manifest.schema.json", script: "scripts/generate-manifest-schema.ts" },
  { file: "plugins/cases.schema.json", script: "scripts/generate-cases-schema.ts" },
  { file: "plugins/*/bascule.d.ts", script: "scripts/generate-types.ts" },
  { file: "plugins/*/vendor/*", script: "scripts/vendor-plugins.ts" },
  { file: "plugins/plot/expressions/*", script: "scripts/copy-plugin-files.ts" },
  { file: "docs/compatibility.md", script: "scripts/generate-compatibility.ts" },
  { file: "docs/errors.md", script: "scripts/generate-errors.ts" },
  { file: "docs/cli.md", script: "scripts/generate-cli.ts" },
  { file: "host/doors/console/assets.gen.ts", script: "scripts/build-console.ts" },
  { file: "docs/openapi.json", script: "scripts/generate-openapi.ts" },
  { file: "docs/speed.md", script: "scripts/generate-peers.ts" },
  { file: "docs/spec.md", script: "scripts/generate-spec.ts" },
];
