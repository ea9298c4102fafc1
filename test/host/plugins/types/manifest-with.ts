/** Manifests for tests of types, parsed by the real parser. */

import { type Manifest, parseManifest, problemToText } from "../../../../manifests/mod.ts";

const TOOL = { name: "run", description: "Runs", inputSchema: { type: "object" }, sideEffects: [] };

/** @throws {Error} if the manifest is not valid. */
export function manifestWith(more: Readonly<Record<string, unknown>>): Manifest {
  const text = JSON.stringify({ schemaVersion: "1.0", name: "sample", version: "1.0.0", description: "A sample", tools: [TOOL], ...more });
  const parsed = parseManifest(text, {});
  if (!parsed.ok) throw new Error(parsed.problems.map(problemToText).join("\n"));
  return parsed.value;
}
