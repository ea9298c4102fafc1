import { describe, expect, it } from "vitest";
import { parseManifest } from "../../manifests/mod.ts";

const read = (imports: unknown): unknown => {
  const tools = [{ name: "t", description: "d", inputSchema: { type: "object" }, sideEffects: [] }];
  const parsed = parseManifest(JSON.stringify({ schemaVersion: "1.0", name: "p", version: "1.0.0", description: "d", imports, tools }));
  return parsed.ok ? parsed.value.imports : parsed.problems.map(({ pointer, message }) => `${pointer} ${message}`);
};

describe("imports of a manifest", () => {
  it("accept names and prefixes, for files of the plugin or for packages [M2.imports] [B7.imports]", () => {
    const imports = { a: "./a.ts", "lib/": "./lib/", "@std/assert": "jsr:@std/assert@1", x: "npm:x@^1.2/sub" };
    expect(read(imports)).toEqual(imports);
  });

  it.each([
    [{ "lib/": "./lib.ts" }, '/imports/lib~1 Import "lib/" and "./lib.ts" must both end in "/", or neither'],
    [{ lib: "./lib/" }, '/imports/lib Import "lib" and "./lib/" must both end in "/", or neither'],
    [{ x: "../x.ts" }, '/imports/x Import "x" is not a file of the plugin'],
    [{ x: "./a/../../x.ts" }, '/imports/x Import "x" is not a file of the plugin'],
    [{ x: "https://example.com/x.ts" }, '/imports/x Import "x" is not a file of the plugin'],
    [{ x: "/x.ts" }, '/imports/x Import "x" is not a file of the plugin'],
  ])("refuse targets outside the plugin: %j [M4.imports] [B7.refused]", (imports, problem) => {
    expect(read(imports)).toEqual([problem]);
  });
});
