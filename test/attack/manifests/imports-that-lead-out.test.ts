import { expect, it } from "vitest";
import { parseManifest } from "../../../manifests/mod.ts";
import { attacker } from "../../support/attacker.ts";

const withImports = (imports: unknown): string =>
  JSON.stringify({
    schemaVersion: "1.0",
    name: "evil",
    version: "1.0.0",
    description: "x",
    imports,
    tools: [{ name: "a", description: "x", inputSchema: { type: "object" }, sideEffects: [] }],
  });

it.each([
  "../x.js",
  "./../../x.js",
  "/etc/passwd",
  "file:///etc/passwd",
  "https://evil.test/x.js",
  "data:text/javascript,1",
  "node:fs",
  "./a\\..\\b.js",
  "C:/x.js",
  "./\0.js",
  "./%2e%2e/x.js",
  "",
])("attack: an import map maps a name to %j [B7.imports]", async (target) => {
  const text = withImports({ lib: target, "dir/": `${target}/` });
  const parsed = parseManifest(text);
  if (!parsed.ok) return expect(parsed.problems.length).toBeGreaterThan(0);
  // Loading refuses what the manifest's check accepts, because the plugin has no such file.
  const { refusal } = await attacker("export const a = 1;");
  return expect(
    await refusal({ "main.js": `import * as lib from "lib"; export const a = () => Object.keys(lib)`, "manifest.json": text }),
  ).toEqual(expect.any(String));
});
