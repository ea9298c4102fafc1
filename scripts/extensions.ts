/**
 * `npm run extensions`: builds what editors and clients install, into `dist/extensions/` (docs/editors.md).
 *
 * `npm run extensions -- mcpb` builds only the named ones.
 */

import { stat } from "node:fs/promises";
import { relative } from "node:path";
import { buildMcpb } from "./build-mcpb.ts";
import { buildVscode } from "./build-vscode.ts";
import { REPOSITORY } from "./run-command.ts";

/** An extension is one entry here. Each builder writes into the folder, and returns the path of its file. */
const BUILDERS: Readonly<Record<string, (target: string) => Promise<string>>> = { mcpb: buildMcpb, vscode: buildVscode };
const TARGET = `${REPOSITORY}dist/extensions`;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(BUILDERS, name));
if (unknown.length > 0) {
  console.error(`Unknown extension "${unknown.join(", ")}" (choose from ${Object.keys(BUILDERS).join(", ")})`);
  process.exitCode = 2;
} else {
  for (const [name, build] of Object.entries(BUILDERS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const path = await build(TARGET);
    const megabytes = (await stat(path)).size / 1e6;
    console.log(`${name.padEnd(8)} ${relative(REPOSITORY, path)}  ${megabytes.toFixed(2)} MB`);
  }
}
