import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareText } from "../../../../host/primitives/digest.ts";
import { createCliProject, type CliProject } from "../../doors/cli/run-cli.ts";

const tool = (name: string, more: object = {}): object => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: "object" },
  sideEffects: [],
  ...more,
});
const manifest = (more: object = {}): string =>
  JSON.stringify({ schemaVersion: "1.0", name: "demo", version: "1.0.0", description: "Is packed", tools: [tool("run")], ...more });

/** A plugin with every kind of file. */
const FILES = {
  "manifest.json": manifest({
    imports: { greet: "npm:greet@1", "@lib/": "./lib/" },
    tools: [tool("run"), tool("fail"), tool("where", { module: "lib/where.ts", export: "run" })],
  }),
  "main.ts": `import { greet } from "greet";
import type { Shape } from "./lib/shape.ts";
import { Kind, Point } from "@lib/kind.ts";
import data from "./data.json" with { type: "json" };
import note from "./notes/note.txt" with { type: "text" };
import { sep } from "node:path";
export async function run(): Promise<unknown> {
  const shape: Shape = { sides: 4 };
  const { late } = await import("./lib/late.ts");
  return [greet("you"), Kind.Late, new Point(1).x, data, note, shape.sides, late, sep];
}
export { fail } from "./lib/fail.ts";
`,
  "lib/kind.ts": `export enum Kind { Late = "late" }\nexport class Point { constructor(public readonly x: number) {} }\n`,
  "lib/shape.ts": `export interface Shape { sides: number }\n`,
  "lib/late.ts": `export const late = "later";\n`,
  "lib/fail.ts": `interface Nothing { deep: { value: string } }

export function fail(): string {
  const nothing = undefined as unknown as Nothing;
  return nothing.deep.value;
}
`,
  "lib/where.ts": `const { filename, dirname, main } = import.meta;
export const run = (): unknown => [
  filename, dirname, main, import.meta.resolve("./x.txt"), Deno.readTextFileSync(new URL("../notes/note.txt", import.meta.url)),
];
`,
  "notes/note.txt": "a note",
  "data.json": `{"a":[1]}`,
  "main.test.ts": `import { run } from "./main.ts"; run();`,
  "unused.ts": "export {};",
  "vendor/greet.js": "export const greet = (who) => `hello ${who}`;\n",
  "vendor/greet.LICENSE.txt": "Licence of greet",
  "vendor/vendor.json": JSON.stringify({
    imports: { "npm:greet@1": "./vendor/greet.js" },
    packages: { "npm:greet@1": { version: "1.0.0" } },
    files: {
      "vendor/greet.js": "db532c18d95e2e03a3a6216002ea72c44848b7ddd5c5a7f500dc492ce6468090",
      "vendor/greet.LICENSE.txt": "b8f17851aabc27cc66dc33c61b8ed8510cb0dbaed1f487c9034cfda4354e8b2f",
    },
  }),
  "cases/run.json": JSON.stringify([
    { name: "runs", tool: "run", args: {}, expect: { ok: true, output: ["hello you", "late", 1, { a: [1] }, "a note", 4, "later", "/"] } },
  ]),
};

let demo: CliProject;
beforeAll(async () => {
  const files = Object.entries(FILES).map(([path, text]) => [`plugins/demo/${path}`, text]);
  demo = await createCliProject({ ...Object.fromEntries(files), "served.json": JSON.stringify({ plugins: ["packed"] }) });
  expect(await demo.run(["pack", "demo"])).toEqual({
    code: 0,
    out: expect.stringMatching(/^Packed: packed\/demo {2}7 files, [0-9a-f]{12}\n {2}bascule test packed\/demo\n$/),
    error: "Left out, because the plugin's code does not need it: lib/shape.ts, unused.ts\n",
  });
});
afterAll(() => demo[Symbol.asyncDispose]());

const served = async (tool: string): Promise<unknown> =>
  JSON.parse((await demo.run(["call", tool, "--json", "--config=served.json"])).out) as unknown;

/** Creates a project with one plugin of these files. */
const projectOf = (files: Readonly<Record<string, string>>): Promise<CliProject> =>
  createCliProject(Object.fromEntries(Object.entries(files).map(([path, text]) => [`plugins/demo/${path}`, text])));

describe("bascule pack", () => {
  it("packs the plugin's modules and vendored imports into one module, and keeps all other files [B7.pack] [PB3.vendor]", async () => {
    const folder = join(demo.folder, "packed/demo");
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).toSorted(compareText)).toEqual([
      ...["cases/run.json", "data.json", "main.js", "main.js.map", "manifest.json", "notes/note.txt", "vendor/greet.LICENSE.txt"],
    ]);
    const { sources } = JSON.parse(await readFile(join(folder, "main.js.map"), "utf8")) as { readonly sources: readonly string[] };
    expect(sources).toEqual(expect.arrayContaining(["main.ts", "lib/kind.ts", "lib/fail.ts", "vendor/greet.js"]));
    expect(JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"))).toEqual({
      ...(JSON.parse(manifest()) as object),
      main: "main.js",
      tools: [tool("run"), tool("fail"), tool("where", { export: "run_2" })],
    });
  });

  it("makes a plugin that passes its cases, and whose hash covers all of it [M11.packed] [B7.pack]", async () => {
    expect(await demo.run(["test", "packed/demo"])).toMatchObject({ code: 0, out: expect.stringContaining("ok | 1 passed") });
    const again = JSON.parse((await demo.run(["pack", "demo", "--json"])).out) as { readonly digest: string };
    expect(await served("run")).toMatchObject({ ok: true, plugin: "demo", digest: again.digest });
  });

  it("keeps each module's own import.meta and the files beside it [B7.meta]", async () => {
    expect(await served("where")).toMatchObject({
      ok: true,
      output: ["/$plugin/lib/where.ts", "/$plugin/lib", false, "file:///$plugin/lib/x.txt", "a note"],
    });
  });

  it("throws with the author's file, line and column [H5.positions] [B7.pack]", async () => {
    const failed = { ok: false, error: { details: { stack: expect.stringMatching(/^\s+at fail \(lib\/fail.ts:5:17\)$/) } } };
    expect(await served("fail")).toMatchObject(failed);
    const unpacked = await demo.run(["call", "fail", "--json"]);
    expect(JSON.parse(unpacked.out)).toMatchObject(failed);
  });

  it("names the author's file and line if the packed top level throws [H5.positions]", async () => {
    await using bad = await projectOf({
      "manifest.json": manifest(),
      "main.ts": `import "./lib/deep.ts";\nexport const run = (): number => 1;\n`,
      "lib/deep.ts": `interface A { b: number }\n\nconst a = JSON.parse("null") as A;\nexport const deep = a.b;\n`,
    });
    await bad.run(["pack", "demo"]);
    const { code, out } = await bad.run(["check", "packed/demo"]);
    expect(code).toBe(1);
    expect(out).toContain("lib/deep.ts:4:22");
  });

  it("compiles JSX and decorators with the options of deno.json, and `using` at the top level [B7.transform]", async () => {
    await using jsx = await projectOf({
      "manifest.json": manifest({ imports: { "tiny/jsx-runtime": "./tiny.ts" } }),
      "deno.json": JSON.stringify({ compilerOptions: { jsx: "precompile", jsxImportSource: "tiny" } }),
      "tiny.ts": `export const jsx = (name: string, props: object): unknown => [name, props];`,
      "main.ts": `export { run } from "./view.tsx";`,
      "view.tsx": `const log: string[] = [];
using held = { [Symbol.dispose]: () => void log.push("disposed") };
const loud = (method: () => string, context: ClassMethodDecoratorContext) => function (this: unknown) { return method.call(this) + "!" + String(context.name); };
class Greeter { @loud greet(): string { return "hello"; } }
export const run = (): unknown => [<p id="a">{new Greeter().greet()}</p>, log, typeof held];
`,
    });
    expect(await jsx.run(["pack", "demo", "--out=served/demo"])).toMatchObject({ code: 0 });
    await jsx.write("served.json", JSON.stringify({ plugins: ["served"] }));
    const called = await jsx.run(["call", "run", "--json", "--config=served.json"]);
    expect(JSON.parse(called.out)).toMatchObject({
      output: [["p", { id: "a", children: "hello!greet" }], ["disposed"], "object"],
    });
  });

  it.each([
    ["does not parse", { "main.ts": `export const run = ( => 1;` }, [], 1, "main.ts:1:21: ERROR: Unexpected"],
    ["imports a missing file", { "main.ts": `import "./gone.ts";` }, [], 1, 'Cannot import "./gone.ts" from "main.ts": no such file'],
    ["lacks an export", { "main.ts": `export const walk = 1;` }, [], 1, 'No matching export in "main.ts" for import "run"'],
    ["would be packed into itself", { "main.ts": "" }, ["--out=plugins/demo/packed"], 2, 'Cannot pack "demo" into its own folder'],
    ["would mix with other files", { "main.ts": `export const run = 1;` }, ["--out=."], 2, "into its own folder"],
    [
      "would mix with others' files",
      { "main.ts": `export const run = 1;` },
      ["--out=other"],
      2,
      'holds "mine.txt", which the packed plugin',
    ],
  ] as const)("writes nothing if a plugin %s, with the reason [B7.pack]", async (...[, files, flags, code, told]) => {
    await using bad = await projectOf({ "manifest.json": manifest(), ...files });
    await bad.write("other/mine.txt", "mine");
    const outcome = await bad.run(["pack", "demo", ...flags]);
    expect(outcome.code).toBe(code);
    expect(outcome.error).toContain(told);
    expect((await readdir(bad.folder)).toSorted()).toEqual(["other", "plugins"]);
    expect(await readdir(join(bad.folder, "other"))).toEqual(["mine.txt"]);
  });
});
