/** Writes the types of every shipped plugin from its manifest, as `bascule types` does (SPEC M8). */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { pluginTypes } from "../host/plugins/types/plugin-types.ts";
import { TSCONFIG_FILE, TSCONFIG_TEXT } from "../host/plugins/types/tsconfig-text.ts";
import { parseManifest, problemToText } from "../manifests/mod.ts";
import { REPOSITORY } from "./run-command.ts";
import { writeOrCheck } from "./write-or-check.ts";

for (const entry of readdirSync(`${REPOSITORY}plugins`, { withFileTypes: true })) {
  const folder = `plugins/${entry.name}`;
  if (!entry.isDirectory() || !existsSync(`${REPOSITORY}${folder}/manifest.json`)) continue;
  const parsed = parseManifest(readFileSync(`${REPOSITORY}${folder}/manifest.json`, "utf8"), {});
  if (!parsed.ok) {
    console.error(`${folder}/manifest.json is invalid:\n${parsed.problems.map(problemToText).join("\n")}`);
    process.exitCode = 1;
    continue;
  }
  for (const [name, text] of pluginTypes(parsed.value)) writeOrCheck(`${folder}/${name}`, text);
  writeOrCheck(`${folder}/${TSCONFIG_FILE}`, TSCONFIG_TEXT);
}
