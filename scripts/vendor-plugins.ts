/**
 * Bundles the packages that shipped plugins need into `plugins/<plugin>/vendor/`, because a plugin imports its own files only.
 *
 * Each bundle is one readable ES module with the package's licence beside it; `vendor/README.md` lists name, version and hash.
 * `node scripts/vendor-plugins.ts` writes them; `--check` compares.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { build, type Plugin } from "esbuild";
import { REPOSITORY } from "./run-command.ts";
import { VENDORED, type Vendored } from "./vendored.ts";
import { writeOrCheck } from "./write-or-check.ts";

interface PackageFacts {
  readonly version: string;
  readonly license: string;
  readonly repository: string;
}

const NOTES = new Map<string, string[]>();
for (const one of VENDORED) {
  const folder = `plugins/${one.plugin}/vendor`;
  mkdirSync(REPOSITORY + folder, { recursive: true });
  const facts = readFacts(one);
  const code = await bundle(one, facts);
  writeOrCheck(`${folder}/${one.name}.js`, code);
  writeOrCheck(`${folder}/${one.name}.LICENCE.txt`, readFileSync(packageFolder(one) + one.licenceFile, "utf8"));
  NOTES.set(folder, [...(NOTES.get(folder) ?? []), noteOf(one, facts, code)]);
}
for (const [folder, notes] of NOTES) writeOrCheck(`${folder}/README.md`, pageOf(notes));

async function bundle(one: Vendored, { version, license }: PackageFacts): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: one.entry, resolveDir: REPOSITORY, sourcefile: "entry.js" },
    plugins: [packageModule(one)],
    absWorkingDir: REPOSITORY,
    // Comments have the same paths if the packages of a work tree are elsewhere.
    preserveSymlinks: true,
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    charset: "utf8",
    legalComments: "inline",
    banner: {
      js: [
        `// ${one.package} ${version} (${license}, see ${one.name}.LICENCE.txt). Bundled by scripts/vendor-plugins.ts: do not edit.`,
        `/* @ts-self-types="./${one.name}.d.ts" */`,
      ].join("\n"),
    },
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`esbuild wrote no bundle of ${one.package}`);
  return output.text;
}

/** Resolves "package" in the entry, and appends exports that the package lacks. */
function packageModule(one: Vendored): Plugin {
  const path = packageFolder(one) + one.module;
  return {
    name: "package-module",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^package$/ }, () => ({ path }));
      onResolve({ filter: /.*/ }, (args) =>
        one.absent?.includes(args.path) === true ? { path: args.path, namespace: "absent" } : undefined,
      );
      onLoad({ filter: /.*/, namespace: "absent" }, () => ({ contents: "export {};", loader: "js" }));
      onLoad({ filter: /.*/, namespace: "file" }, (args) => {
        const text = readFileSync(args.path, "utf8");
        return { contents: args.path === path && one.append !== undefined ? `${text}\n${one.append}\n` : text, loader: "js" };
      });
    },
  };
}

function packageFolder(one: Vendored): string {
  return `${REPOSITORY}node_modules/${one.package}/`;
}

function readFacts(one: Vendored): PackageFacts {
  const manifest = JSON.parse(readFileSync(`${packageFolder(one)}package.json`, "utf8")) as {
    // Every package.json of npm has these three.
    readonly version: string;
    readonly license: string;
    readonly repository: string | { readonly url: string };
  };
  const { version, license, repository } = manifest;
  const url = typeof repository === "string" ? repository : repository.url;
  return { version, license, repository: url.replace(/^git(\+https)?:/, "https:").replace(/\.git$/, "") };
}

function noteOf(one: Vendored, { version, license, repository }: PackageFacts, code: string): string {
  const hash = createHash("sha256").update(code).digest("hex");
  return `| [${one.name}.js](${one.name}.js) | [${one.package}](${repository}) ${version} | [${license}](${one.name}.LICENCE.txt) | \`${hash}\` |`;
}

function pageOf(notes: readonly string[]): string {
  return `# What this plugin brings along

A plugin imports its own files only, so the packages it needs are in this folder. \`npm run generate\` bundles them with esbuild from the
versions in \`package.json\` (\`scripts/vendored.ts\` says what of each), one readable ES module per package, and the gate compares. The
\`.d.ts\` files are written by hand: they hold what the plugin uses.

| file | package | licence | sha256 |
| --- | --- | --- | --- |
${notes.join("\n")}
`;
}
