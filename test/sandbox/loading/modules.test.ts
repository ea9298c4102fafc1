import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

let box: TestSandbox;
let names = 0;

beforeAll(() => {
  box = startSandbox();
});
afterAll(async () => {
  expect(box.defects).toEqual([]);
  await box[Symbol.asyncDispose]();
});

type Files = Readonly<Record<string, string>>;

const load = (files: Files | string) => box.load(`m${++names}`, files);
const run = async (files: Files | string): Promise<unknown> => {
  expect(await load(files)).toMatchObject({ ok: true });
  return outputOf(await box.call(`m${names}`, "run"));
};
const manifest = (imports: Files): string => JSON.stringify({ imports });
const refusal = async (files: Files | string): Promise<unknown> => {
  const outcome = await load(files);
  return outcome.ok ? "loaded" : outcome.fault;
};

describe("the import map of a plugin", () => {
  it("maps exact names, and names that end in a slash, to files, the longest first [B7.imports] [M2]", async () => {
    expect(
      await run({
        "main.ts": `import one from "one";
import { two } from "@lib/two.ts";
import deep from "@lib/deep/x.ts";
import exact from "@lib/exact.ts";
export const run = () => [one, two, deep, exact];`,
        "manifest.json": manifest({
          one: "./vendor/one.js",
          "@lib/": "./lib/",
          "@lib/deep/": "./other/",
          "@lib/exact.ts": "./vendor/one.js",
        }),
        "vendor/one.js": `export default 1;`,
        "lib/two.ts": `export const two: number = 2;`,
        "lib/deep/x.ts": `export default "shadowed";`,
        "other/x.ts": `import one from "one"; export default one + 10;`,
      }),
    ).toEqual([1, 2, 11, 1]);
  });

  it("maps packages to the files listed in vendor/vendor.json [B7.imports] [PB3.vendor]", async () => {
    expect(
      await run({
        "main.ts": `import { greet } from "@scope/greet"; export const run = () => greet("you");`,
        "manifest.json": manifest({ "@scope/greet": "jsr:@scope/greet@^1" }),
        "vendor/vendor.json": manifest({ "jsr:@scope/greet@^1": "./vendor/greet.js" }),
        "vendor/greet.js": "export const greet = (who) => `hello ${who}`;",
      }),
    ).toBe("hello you");
  });

  it("maps specifiers of packages in the code to the files listed in vendor/vendor.json [AX2.inline] [B7.imports]", async () => {
    expect(
      await run({
        "main.ts": `import debounce from "npm:lodash-es@4/debounce"; export const run = () => debounce;`,
        "vendor/vendor.json": manifest({ "npm:lodash-es@4/debounce": "./vendor/debounce.js" }),
        "vendor/debounce.js": "export default 4;",
      }),
    ).toBe(4);
  });

  it.each([
    [
      "a bare name",
      { "main.ts": `import "lodash";` },
      `Cannot import "lodash" from "main.ts": a plugin imports its own files only; \`bascule vendor <plugin> --add npm:lodash\` adds the package, and \`bascule vendor\` those that deno.json or package.json lists`,
    ],
    [
      "an npm: specifier",
      { "main.ts": `import "npm:@scope/x@^2/sub";` },
      `Cannot import "npm:@scope/x@^2/sub" from "main.ts": it is not in the plugin; run \`bascule vendor\` to add it`,
    ],
    [
      "a package listed in deno.json with jsr:",
      {
        "main.ts": `import "@std/path";`,
        "deno.json": `{\n  // ours\n  "imports": { "@std/path" : "jsr:@std/path@^1.0.8", "x": "npm:x@1" }\n}`,
      },
      `Cannot import "@std/path" from "main.ts": "jsr:@std/path@^1.0.8" is not in the plugin; run \`bascule vendor\` to add it`,
    ],
    [
      "Deno's standard library, without a list entry",
      { "main.ts": `import "@std/path/join";` },
      `Cannot import "@std/path/join" from "main.ts": a plugin imports its own files only; \`bascule vendor <plugin> --add jsr:@std/path\` adds the package, and \`bascule vendor\` those that deno.json or package.json lists`,
    ],
    [
      "an entry of deno.json with a path or with shell words",
      { "main.ts": `import "x";`, "deno.json": `{ "imports": { "x": "./x.ts", "x": "npm:x\`; rm" } }` },
      `Cannot import "x" from "main.ts": a plugin imports its own files only; \`bascule vendor <plugin> --add npm:x\` adds the package, and \`bascule vendor\` those that deno.json or package.json lists`,
    ],
    [
      "a module of a well-known server",
      { "main.ts": `import "https://esm.sh/lodash-es@4.17.21/debounce";` },
      'Cannot import "https://esm.sh/lodash-es@4.17.21/debounce" from "main.ts": a plugin imports nothing from the web; write "npm:lodash-es@4.17.21", and `bascule vendor` adds it',
    ],
    [
      "a module of Deno's old standard library",
      { "main.ts": `import "https://deno.land/std@0.224.0/fmt/colors.ts";` },
      'Cannot import "https://deno.land/std@0.224.0/fmt/colors.ts" from "main.ts": a plugin imports nothing from the web; write "jsr:@std/fmt", and `bascule vendor` adds it',
    ],
    [
      "a package that was not vendored",
      { "main.ts": `import "x";`, "manifest.json": manifest({ x: "npm:x@1" }) },
      'Cannot import "x" from "main.ts": "npm:x@1" is not in the plugin; run `bascule vendor` to add it',
    ],
    [
      "a missing file in the map",
      { "main.ts": `import "x";`, "manifest.json": manifest({ x: "./vendor/x.js" }) },
      'Cannot import "x" from "main.ts": no such file in the plugin',
    ],
    [
      "a map that leads outside",
      { "main.ts": `import "x";`, "manifest.json": manifest({ x: "./../../x.js" }) },
      'Cannot import "x" from "main.ts": no such file in the plugin',
    ],
  ] as const)("refuses %s and suggests what to write [B7.refused]", async (_what, files, message) => {
    expect(await refusal(files)).toEqual({ kind: "import", message, file: "main.ts", line: 1, column: 8 });
  });
});

describe("modules", () => {
  it("import JSON and text, also dynamically, and one file as both code and text [B7.json] [B7.text]", async () => {
    expect(
      await run({
        "main.ts": `import data from "./data.json" with { type: "json" };
import text from "./notes.txt" with { type: "text" };
import code from "./other.ts" with { type: "text" };
import { answer } from "./other.ts";
const { default: later } = await import("./notes.txt", { with: { type: "text" } });
export const run = () => [data, text, code, answer, later];`,
        "data.json": `{"a": [1]}`,
        "notes.txt": "née\u2028\n",
        "other.ts": "export const answer: number = 42;",
      }),
    ).toEqual([{ a: [1] }, "née\u2028\n", "export const answer: number = 42;", 42, "née\u2028\n"]);
  });

  it("import dynamically within the plugin during a call, and nothing outside [B7.dynamic]", async () => {
    expect(
      await run({
        "main.ts": `export async function run() {
  const name = "later";
  const { value } = await import(\`./\${name}.ts\`);
  const refused = await import("npm:x").catch((error: Error) => error.message);
  const outside = await import("../x.ts").catch((error: Error) => error.message);
  return [value, refused.slice(0, 33), outside];
}`,
        "later.ts": "enum Kind { Late = 'late' }\nexport const value: string = Kind.Late;",
      }),
    ).toEqual([
      "late",
      'Cannot import "npm:x" from "main.',
      'Cannot import "../x.ts" from "main.ts": it leads outside of the plugin (main.ts:5:32)',
    ]);
  });

  it("may import one another in a cycle, and await at the top level [B7.cycles] [B7.await]", async () => {
    expect(
      await run({
        "main.ts": `import { odd } from "./odd.ts"; export const even = (n: number): boolean => n === 0 || odd(n - 1);
const ready = await new Promise<string>((resolve) => setTimeout(() => resolve("ready"), 10));
export const run = () => [even(10), odd(10), ready];`,
        "odd.ts": `import { even } from "./main.ts"; export const odd = (n: number): boolean => n !== 0 && even(n - 1);`,
      }),
    ).toEqual([true, false, "ready"]);
  });

  it("have an import.meta as in Deno [B7.meta]", async () => {
    expect(
      await run({
        "main.ts": `export { run } from "./lib/where.ts";`,
        "lib/where.ts": `const { url, filename, dirname, main } = import.meta;
export const run = () => [url, filename, dirname, main, Object.keys(import.meta).sort(),
  import.meta.resolve("./x.ts"), import.meta.resolve("../y.ts"), import.meta.resolve("lib"), import.meta.resolve("@v/z.js"), import.meta.resolve("https://a.b/c"),
  (() => { try { return import.meta.resolve("none"); } catch (error) { return String(error); } })()];`,
        "manifest.json": manifest({ lib: "./vendor/lib.js", "@v/": "./vendor/" }),
      }),
    ).toEqual([
      "file:///$plugin/lib/where.ts",
      "/$plugin/lib/where.ts",
      "/$plugin/lib",
      false,
      ["dirname", "filename", "main", "resolve", "url"],
      "file:///$plugin/lib/x.ts",
      "file:///$plugin/y.ts",
      "file:///$plugin/vendor/lib.js",
      "file:///$plugin/vendor/z.js",
      "https://a.b/c",
      'TypeError: Import "none" not a dependency: write it under "imports" in manifest.json',
    ]);
  });

  it.each([
    [
      "bytes",
      { "main.ts": `\n  import x from "./x.bin" with { type: "bytes" };`, "x.bin": "" },
      { kind: "syntax", line: 2, message: expect.stringContaining("Deno.readFile") },
    ],
    [
      "text without an attribute",
      { "main.ts": `import "./x.txt";`, "x.txt": "" },
      { kind: "import", message: expect.stringContaining('write `with { type: "text" }`') },
    ],
    ["JSX", { "main.ts": `import "./x.tsx";`, "x.tsx": "" }, { kind: "import", message: expect.stringContaining("JSX is not supported") }],
    [
      "CommonJS",
      { "main.ts": `import "./x.cjs";`, "x.cjs": "" },
      { kind: "import", message: expect.stringContaining("ECMAScript modules") },
    ],
  ] as const)("refuse %s and suggest what to write [B7.refused]", async (_what, files, fault) => {
    expect(await refusal(files)).toMatchObject(fault);
  });
});

describe("TypeScript that cannot be blanked out", () => {
  const SOURCE = `enum Color { Red = "red", Blue = "blue" }
namespace Shapes { export const sides = 4; }
class Point {
  constructor(private readonly x: number, public y = 2) {}
  sum(): number { return this.x + this.y; }
}
import sides = Shapes.sides;
export const run = (args: { fail?: boolean }): unknown => {
  if (args.fail) {
    const nothing: any = undefined;
    return nothing.property;
  }
  return [Color.Blue, sides, new Point(1).sum()];
};`;

  it("is transformed: enums, namespaces, parameter properties, import aliases [B7.transform]", async () => {
    expect(await run(SOURCE)).toEqual(["blue", 4, 3]);
  });

  it("throws with the author's lines and columns, also on a worker that did not load it [B7.positions] [H5.positions]", async () => {
    await load(SOURCE);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => box.call(`m${names}`, "run", { args: { fail: true } })));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ ok: false, fault: { name: "TypeError", stack: expect.stringContaining("(main.ts:11:19)") } });
    }
  });

  it("reports the position of a top-level throw in a transformed file [H5.positions]", async () => {
    expect(await load(`enum A { X }\n\nenum B {\n  Y,\n}\n  throw new Error(String(A.X + B.Y));`)).toMatchObject({
      ok: false,
      fault: { kind: "threw", message: "Error: 0", file: "main.ts", line: 6 },
    });
  });
});

describe("names used only as types", () => {
  it("are not imported, as in Deno; the others are, and positions stay the author's [B7.types] [H5.positions]", async () => {
    expect(
      await run({
        "main.ts": `import Shape, { Options, run as go } from "./lib.ts";
import { Other } from "./types.ts";
import type { Never } from "./types.ts";
/** Takes {@link Options}. */
const text = \`
import { Options } from "kept in a text";
\`;
export const run = (options: Options & Other & Never & Shape): unknown => {
  try { go(options); } catch (error) { return [text.includes("import { Options }"), (error as Error).stack]; }
};`,
        "lib.ts": `export default interface Shape { a?: 1 }
export interface Options { b?: 2 }
export const run = (_options: Options): void => { throw new Error("here"); };`,
        "types.ts": `export interface Other { c?: 3 } export type Never = object; throw new Error("Types must not be loaded");`,
      }),
    ).toEqual([true, expect.stringContaining("main.ts:9:11")]);
  });
});
