/** Builds the VS Code extension: one module of its sources, and the `.vsix` that the official packager makes of it. */

import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { REPOSITORY, runCommand } from "./run-command.ts";

/** Too large for a dependency: 285 packages that only packaging needs. */
const PACKAGER = "@vscode/vsce@4.1.0";

/** Files of the extension besides its code, by their place in the repository. */
const FILES: Readonly<Record<string, string>> = {
  "README.md": "extensions/vscode/README.md",
  "media/bascule.svg": "extensions/vscode/media/bascule.svg",
  "icon.png": "extensions/icon.png",
  "LICENSE.txt": "LICENSE",
  "manifest.schema.json": "manifests/manifest.schema.json",
};

/** Writes the unpacked extension into the folder, as VS Code loads it. */
export async function bundleVscode(target: string): Promise<void> {
  const bundler = await rolldown({
    cwd: REPOSITORY,
    input: "extensions/vscode/src/extension.ts",
    platform: "node",
    tsconfig: false,
    external: ["vscode", /^node:/],
    transform: { target: "node22" },
  });
  try {
    await bundler.write({
      file: join(target, "extension.cjs"),
      format: "cjs",
      codeSplitting: false,
      minify: true,
      comments: { legal: true },
    });
  } finally {
    await bundler.close();
  }
  for (const [name, source] of Object.entries(FILES)) {
    await mkdir(dirname(join(target, name)), { recursive: true });
    await copyFile(REPOSITORY + source, join(target, name));
  }
  const manifest = await readFile(`${REPOSITORY}extensions/vscode/package.json`, "utf8");
  await writeFile(join(target, "package.json"), manifest);
}

/** Packages the extension. Fails if the packager warns. Returns the path of its file. */
export async function buildVscode(target: string): Promise<string> {
  const { version } = JSON.parse(await readFile(`${REPOSITORY}extensions/vscode/package.json`, "utf8")) as { readonly version: string };
  const path = join(target, `bascule-vscode-${version}.vsix`);
  const folder = await mkdtemp(join(tmpdir(), "bascule-vscode-"));
  try {
    await bundleVscode(folder);
    await mkdir(target, { recursive: true });
    const args = ["--yes", PACKAGER, "package", "--no-dependencies", "--allow-missing-repository", "--out", path];
    const { code, output } = await runCommand("npx", args, { cwd: folder });
    if (code !== 0 || /^\s*WARNING/m.test(output)) throw new Error(`Cannot package the VS Code extension:\n${output}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return path;
}
