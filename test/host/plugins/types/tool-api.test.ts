import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseManifest } from "../../../../manifests/mod.ts";
import { pluginTypes } from "../../../../host/plugins/types/plugin-types.ts";
import { RUNTIME_FILE, RUNTIME_TEXT } from "../../../../host/plugins/types/tool-api.ts";
import { TSCONFIG_FILE, TSCONFIG_TEXT } from "../../../../host/plugins/types/tsconfig-text.ts";
import { runCommand } from "../../../../scripts/run-command.ts";
import { REPOSITORY } from "../../../support/source-files.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const MANIFEST = JSON.stringify({
  schemaVersion: "1.0",
  name: "demo",
  version: "0.1.0",
  description: "Demo",
  toolsFrom: "code",
  tools: [{ name: "a", description: "A", inputSchema: {}, sideEffects: [] }],
});

const HEAD = `import { defineTool } from "./bascule.js";
import { Type } from "@sinclair/typebox";
const standard: { "~standard": { types?: { input: { text: string }; output: { text: number } } } } = { "~standard": {} };
`;

/** Returns the errors of tsc in a plugin's code, as \`line message\`. */
async function errorsIn(code: string, folder?: string): Promise<readonly string[]> {
  const parsed = parseManifest(MANIFEST);
  if (!parsed.ok) throw new Error("The manifest is valid");
  const directory = folder ?? (await temporaryFolder());
  const config = TSCONFIG_TEXT.replace(
    '"module"',
    `"paths": { "@sinclair/typebox": ["${REPOSITORY}node_modules/@sinclair/typebox"] },\n    "module"`,
  );
  const files = [...pluginTypes(parsed.value), [TSCONFIG_FILE, config], [RUNTIME_FILE, RUNTIME_TEXT], ["main.ts", HEAD + code]] as const;
  for (const [path, text] of files) await writeFile(join(directory, path), text);
  const { output } = await runCommand("tsc", ["-p", directory, "--pretty", "false"], { cwd: directory });
  return [...output.matchAll(/^(\S+\.ts)\((\d+),\d+\): error \w+: (.*)$/gmu)].map(
    ([, file, line, message]) => `${file}:${Number(line) - HEAD.split("\n").length + 1} ${message}`,
  );
}

describe("defineTool()", () => {
  it("infers arguments and results from JSON Schema, TypeBox and Standard Schema, without a red line [AX1.inferred]", async () => {
    const good = `
export const json = defineTool({
  description: "x",
  input: {
    type: "object",
    properties: { a: { type: "string" }, b: { enum: ["x", 1] }, c: { type: "integer", default: 1 }, d: { type: ["array", "null"], items: { type: "boolean" } }, e: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false } },
    required: ["a"],
  },
  output: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  run({ a, b, c, d, e }, context) {
    const own: [string, "x" | 1 | undefined, number, readonly boolean[] | null | undefined, readonly [string, number] | undefined] = [a, b, c, d, e];
    context.log.info(own);
    return { n: c };
  },
});
export const box = defineTool({ input: Type.Object({ text: Type.String(), n: Type.Optional(Type.Number()) }), run: async ({ text, n }) => text.length + (n ?? 0) });
export const other = defineTool({ input: standard, run: ({ text }) => text.toFixed(1) });
const called: { n: number } = json({ a: "x", b: 1, c: 2 });
const promised: Promise<number> = box({ text: "x" });
export const all = [called, promised];
`;
    expect(await errorsIn(good)).toEqual([]);
  });

  it("imports packages of registries, and packages without declarations, without a red line [AX1.packages]", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "node_modules/plain"), { recursive: true });
    await writeFile(join(folder, "node_modules/plain/package.json"), JSON.stringify({ name: "plain", version: "1.0.0", main: "index.js" }));
    await writeFile(join(folder, "node_modules/plain/index.js"), "exports.double = function (n) { return 2 * n; };\n");
    const code = `import { x } from "npm:far@1/part";
import { y } from "jsr:@far/y@2";
import { double } from "plain";
export const all: number[] = [x, y, double(2)];
`;
    expect(await errorsIn(code, folder)).toEqual([]);
    expect(await errorsIn(code.replace("double }", "triple }"), folder)).toEqual([
      expect.stringMatching(/^main\.ts:3 .*no exported member 'triple'/u),
      expect.stringMatching(/^main\.ts:4 Cannot find name 'double'/u),
    ]);
  });

  it("refuses a wrong use of an argument and a wrong result [AX1.inferred]", async () => {
    const bad = `const input = { type: "object", properties: { a: { type: "string" } }, required: ["a"] } as const;
export const one = defineTool({ input, run: ({ b }) => b });
export const two = defineTool({ input, run: ({ a }) => a.toFixed() });
export const three = defineTool({ input, output: { type: "string" }, run: () => 5 });
export const four = defineTool({ input, permissions: { net: true }, run: () => 5 });
`;
    expect((await errorsIn(bad)).map((error) => error.slice(0, 90))).toEqual([
      "main.ts:2 Property 'b' does not exist on type 'Flat<{ readonly a: string; } & {}>'.",
      "main.ts:3 Property 'toFixed' does not exist on type 'string'. Did you mean 'fixed'?",
      "main.ts:4 Type 'number' is not assignable to type 'ToolResult<string>'.",
      "main.ts:5 Object literal may only specify known properties, and 'permissions' does not exi",
    ]);
  });
});
