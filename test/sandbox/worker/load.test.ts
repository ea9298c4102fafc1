import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

describe.each(["metered", "plain"] as const)("loading a plugin, on the %s engine", (engine) => {
  let box: TestSandbox;
  let names = 0;
  beforeAll(() => {
    box = startSandbox({ engine });
  });
  afterAll(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });
  const load = (files: Record<string, string> | string, exports: string[] = []) => box.load(`p${++names}`, files, exports);
  const run = async (files: Record<string, string> | string, name = "run") => {
    expect(await load(files)).toMatchObject({ ok: true });
    return outputOf(
      await box.call(`p${names}`, name, { module: typeof files === "string" ? "main.ts" : (Object.keys(files)[0] ?? "main.ts") }),
    );
  };

  it("strips types, and loads several files, JSON and top-level await [B7.strip] [B7.files] [B7.json]", async () => {
    const output = await run({
      "main.ts": `import { double, type Numbers } from "./lib/double.ts";
import data from "./data.json" with { type: "json" };
const ready: number = await Promise.resolve(20);
export function run(): Numbers { return [double(ready), data.answer]; }`,
      "lib/double.ts": `export type Numbers = number[]; export const double = (value: number): number => value * 2;`,
      "data.json": `{"answer": 42}`,
    });
    expect(output).toEqual([40, 42]);
  });

  it("reads the plugin's own files during a load, and nothing else [B9.own-files]", async () => {
    const output = await run({
      "main.ts": `const text = Deno.readTextFileSync(new URL("./words.txt", import.meta.url));
const later = await Deno.readTextFile(new URL("./words.txt", import.meta.url));
export function run() { return [text, later, import.meta.url]; }`,
      "words.txt": "one two",
    });
    expect(output).toEqual(["one two", "one two", "file:///$plugin/main.ts"]);
    expect(await load(`Deno.readTextFileSync("/etc/hosts")`)).toMatchObject({
      ok: false,
      fault: {
        kind: "threw",
        message: expect.stringContaining("is not available while the plugin loads; move it into the tool function"),
        file: "main.ts",
        line: 1,
      },
    });
    expect(await load(`await Deno.writeTextFile("x", "y")`)).toMatchObject({
      ok: false,
      fault: { message: expect.stringContaining("NotCapable") },
    });
  });

  it.each([
    ["null", "Uncaught null"],
    ["{ code: 1 }", "Uncaught [object Object]"],
    ["undefined", "undefined"],
    ["{ toString() { throw 1; } }", "Uncaught "],
  ])("describes a thrown value without a message: %s [B4.thrown]", async (thrown, message) => {
    expect(await load(`throw ${thrown};`)).toMatchObject({
      ok: false,
      fault: { kind: "threw", message: expect.stringContaining(message) },
    });
    expect(await load("export const run = () => 1;")).toMatchObject({ ok: true });
  });

  it("stops time and seeds randomness during a load, so that the image depends only on its bytes [B9.image]", async () => {
    const source = `const at = [Date.now(), Math.random(), performance.now(), crypto.randomUUID()]; export function run() { return [at, Date.now() > at[0]]; }`;
    const first = await run(source);
    const second = outputOf(await (await load(source), box.call(`p${names}`, "run")));
    expect((first as unknown[])[1]).toBe(true);
    // The hashes differ, so the seeded bytes do. The clock and the engine's own generator are the same in every image.
    const [a, b] = [first, second].map((value) => (value as [unknown[], boolean])[0].slice(0, 3));
    expect(a).toEqual(b);
  });

  it("runs top-level timers in virtual time", async () => {
    expect(await run(`await new Promise((resolve) => setTimeout(resolve, 3_600_000)); export function run() { return "soon"; }`)).toBe(
      "soon",
    );
  });

  it.each([
    ["a syntax error", "export const x = 1;\nlet y: = 3;", { kind: "syntax", file: "main.ts", line: 2 }],
    [
      "a top-level throw",
      "export const x = 1;\n\nthrow new Error('top');",
      { kind: "threw", file: "main.ts", line: 3, message: "Error: top" },
    ],
    ["a rejected top-level await", "await Promise.reject(new Error('later'));", { kind: "threw", message: "Error: later" }],
    [
      "a top-level await that never settles",
      "await new Promise(() => {});",
      { kind: "threw", message: expect.stringContaining("never settle") },
    ],
    ["a package import", "import x from 'lodash';", { kind: "import", message: expect.stringContaining('Cannot import "lodash"') }],
    [
      "a file outside of the plugin",
      "import x from '../other/main.ts';",
      { kind: "import", message: expect.stringContaining("Cannot import") },
    ],
    [
      "a URL import",
      "import x from 'https://example.com/x.js';",
      { kind: "import", message: expect.stringContaining("its own files only") },
    ],
    [
      "an import without its suffix",
      "import x from './main';",
      { kind: "import", message: expect.stringContaining('write the whole file name ("./main.ts")') },
    ],
    [
      "types imported as if they were code",
      "import { type Args } from './bascule.d.ts';",
      { kind: "import", message: expect.stringContaining('a declaration file contains no code (write "import type")') },
    ],
    [
      "an import of what is not exported",
      "import { other } from './main.ts'; export const x = other;",
      { kind: "import", message: 'Cannot import "other" from "main.ts": no such export (to import a type, write "import type")' },
    ],
  ] as const)("refuses %s with its position [H5.load] [B7.refused]", async (_what, source, fault) => {
    expect(await load(source)).toMatchObject({ ok: false, fault });
  });

  const JSX = "(JSX is not supported: call functions instead, or compile it; `bascule pack` compiles .tsx and .jsx)";
  const DASH = `(a function's name cannot contain "-": name it sayHello, and write "export": "sayHello" for the tool in the manifest)`;
  it.each<readonly [what: string, files: Record<string, string>, fault: object]>([
    [
      "a name with a dash",
      { "main.ts": "export function say-hello() {}" },
      { kind: "syntax", line: 1, message: expect.stringContaining(DASH) },
    ],
    [
      "a name with a dash, in JavaScript",
      { "main.js": "\nexport async function say-hello() {}" },
      { kind: "syntax", line: 2, message: expect.stringContaining(DASH) },
    ],
    [
      "JSX",
      { "main.ts": "export const x = () => {\n  return <div>hello</div>;\n};" },
      { kind: "syntax", message: expect.stringContaining(JSX) },
    ],
    [
      "JSX in JavaScript",
      { "main.js": "export const x = () => (\n  <Box a={1} />\n);" },
      { kind: "syntax", message: expect.stringContaining(JSX) },
    ],
    [
      "a comparison that is not JSX",
      { "main.ts": "export const x = (a <b ? 1 : );" },
      { kind: "syntax", message: expect.not.stringContaining("JSX") },
    ],
    [
      "process",
      { "main.ts": "export const x = process.cwd();" },
      { kind: "threw", message: "ReferenceError: 'process' is not defined (write `import process from \"node:process\"`)" },
    ],
    [
      "require",
      { "main.js": "const x = require('x'); export { x };" },
      { kind: "threw", message: expect.stringContaining("(write `import`:") },
    ],
    [
      "any other name",
      { "main.ts": "export const x = proces.cwd();" },
      { kind: "threw", message: "ReferenceError: 'proces' is not defined" },
    ],
  ])("refuses %s and suggests what to write [B7.advice]", async (_what, files, fault) => {
    expect(await load(files)).toMatchObject({ ok: false, fault });
  });

  it("explains how to bind a tool whose name is not a valid function name [B7.advice]", async () => {
    expect(await load("export const sayHi = () => 1;", ["say-hi"])).toMatchObject({
      ok: false,
      fault: {
        kind: "no_export",
        message: `Cannot find the function "say-hi" in "main.ts": no such export (it exports sayHi); name it sayHi, and write "export": "sayHi" for the tool in the manifest`,
      },
    });
  });

  it("refuses a tool whose export is missing or not a function", async () => {
    expect(await load("export const tool = 1;", ["tool"])).toMatchObject({
      ok: false,
      fault: { kind: "no_export", message: expect.stringContaining("it is of type number") },
    });
    expect(await load("export const other = 1;", ["tool"])).toMatchObject({
      ok: false,
      fault: { kind: "no_export", message: expect.stringContaining("no such export") },
    });
  });

  it("ends a load that does not end by itself [B3.load]", async () => {
    const source = (digest: string, text: string) => ({
      name: digest,
      digest,
      files: new Map([["main.ts", new TextEncoder().encode(text)]]),
      modules: new Map([["main.ts", []]]),
      memoryBytes: 64 << 20,
      loadMs: 200,
    });
    expect(await box.sandbox.load(source("spin", "for (;;);"))).toMatchObject({ ok: false, fault: { kind: "limit" } });
    expect(await box.sandbox.load(source("native", "new Array(6e7) + '' + new Array(6e7) + new Array(6e7)"))).toMatchObject({
      ok: false,
      fault: { kind: "limit" },
    });
    expect(await box.sandbox.load(source("greedy", "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))"))).toMatchObject({
      ok: false,
      fault: { kind: "limit" },
    });
  });

  it("keeps line and column of a throw in the author's TypeScript [B7.positions]", async () => {
    const fault = await run(`interface Wide { readonly a: number }
const wide: Wide = { a: 1 };
export function run(): number {
  const value: unknown = wide; if (import.meta.url) throw new Error("here");
  return 1;
}`);
    expect(fault).toMatchObject({ kind: "threw", stack: expect.stringMatching(/at run \(main\.ts:4:\d+\)/) });
  });
});
