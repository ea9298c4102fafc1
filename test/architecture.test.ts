import { describe, expect, it } from "vitest";
import { architectureViolations, importCycles } from "./support/architecture-rules.ts";
import { sourceFiles } from "./support/source-files.ts";
import { scanSource } from "./support/source-scan.ts";
import { unusedExports } from "./support/unused-exports.ts";

const LAYERS = ["manifests", "sandbox", "host"];

/** Files whose exports are imported by packages that use this one, by `bin/`, or by code that is assembled as text for the guest. */
const FACES: readonly RegExp[] = [
  /^(host|sandbox|manifests)\/mod\.ts$/,
  /^host\/doors\/cli\/(main|start)\.ts$/,
  /^sandbox\/guest\/(entry\.ts|node\/.*)$/,
  /^sandbox\/guest\/language\/(import-meta|using-scope)\.ts$/,
  /^sandbox\/guest\/test\/test-run\.ts$/,
];

/** Maximum lines of a source file, except for generated code: a longer one has two responsibilities. */
const MAX_LINES = 400;

describe("the source tree", () => {
  it("has files in every layer, so that the other tests check something", () => {
    const counts = LAYERS.map((layer) => sourceFiles([layer]).length);
    expect(counts.every((count) => count >= 5)).toBe(true);
  });

  it("keeps to the layers, without cycles, and leaves ambient authority to host/platform/", () => {
    expect(architectureViolations(sourceFiles(LAYERS))).toEqual([]);
  });

  it(`has no source file over ${String(MAX_LINES)} lines`, () => {
    const long = sourceFiles(LAYERS).filter((file) => file.text.split("\n").length > MAX_LINES);
    expect(long.map((file) => file.path)).toEqual([]);
  });

  it("exports only symbols that another file imports", () => {
    const users = sourceFiles(["test", "bench", "scripts", "console", "plugins", "extensions"]);
    expect(unusedExports(sourceFiles(LAYERS), users, (path) => FACES.some((face) => face.test(path)))).toEqual([]);
  });

  it("has extensions whose model knows no editor, and without import cycles [DI4.vscode-model]", () => {
    const files = sourceFiles(["extensions"]);
    const editor = files.filter(({ text }) => scanSource(text).imports.some(({ specifier }) => specifier === "vscode"));
    expect(editor.map(({ path }) => path.slice("extensions/vscode/src/".length))).toEqual([
      ...["documents.ts", "extension.ts", "pick.ts", "project.ts", "start.ts", "views.ts"],
    ]);
    expect(importCycles(files)).toEqual([]);
  });

  it("has plugins that import only their own files", () => {
    const outside = sourceFiles(["plugins"]).flatMap((file) =>
      scanSource(file.text)
        .imports.filter((found) => !found.specifier.startsWith("./"))
        // The sandbox has a main module of its own; only tests use it.
        .filter((found) => !(file.path.endsWith(".test.ts") && found.specifier === "node:assert/strict"))
        .map((found) => `${file.path}:${String(found.line)}: imports "${found.specifier}"`),
    );
    expect(outside).toEqual([]);
  });

  it("has plugins without import cycles", () => {
    expect(importCycles(sourceFiles(["plugins"]))).toEqual([]);
  });
});

describe("architectureViolations()", () => {
  const legal = {
    "manifests/mod.ts": `export type { A } from "./a.ts";`,
    "manifests/a.ts": `import { Type } from "@sinclair/typebox"; export type A = string; export const a = Type.String();`,
    "sandbox/mod.ts": `export { b } from "./b.ts";`,
    "sandbox/b.ts": `import type { A } from "../manifests/mod.ts"; export const b: A = "";`,
    "sandbox/worker/main.ts": `export const w = 1;`,
    "host/platform/threads/worker-node.ts": `import { w } from "../../../sandbox/worker/main.ts"; export { w };`,
    "sandbox/pool/p.ts": `export const p = 1;`,
    "sandbox/guest/c.ts": `export const c = Date.now();`,
    "host/mod.ts": `import { b } from "../sandbox/mod.ts"; export const d = b + new Date(0).toISOString();`,
    "host/platform/proof.ts": `import { now } from "node:os"; export const provePath = () => process.cwd() + now;`,
    "host/routes/y.ts": `export const f = 1;`,
    "host/capabilities/checked.ts": `import { provePath } from "../platform/proof.ts"; export const e = provePath();`,
  };

  function violationsWith(path: string, text: string): readonly string[] {
    return architectureViolations(Object.entries({ ...legal, [path]: text }).map(([at, code]) => ({ path: at, text: code })));
  }

  it("finds nothing in a legal tree", () => {
    expect(violationsWith("host/routes/x.ts", `export {};`)).toEqual([]);
  });

  it.each([
    ["a layer that imports upwards", "manifests/x.ts", `import { b } from "../sandbox/mod.ts";`, /manifests imports "sandbox\/mod.ts"/],
    ["a type import upwards", "sandbox/x.ts", `import type { D } from "../host/mod.ts";`, /sandbox imports "host\/mod.ts"/],
    ["an import() type upwards", "sandbox/x.ts", `export type X = import("../host/mod.ts").D;`, /sandbox imports "host\/mod.ts"/],
    ["a dynamic import upwards", "sandbox/x.ts", `await import("../host/mod.ts");`, /sandbox imports "host\/mod.ts"/],
    ["a re-export upwards", "sandbox/x.ts", `export * from "../host/mod.ts";`, /sandbox imports "host\/mod.ts"/],
    ["reaching past mod.ts", "host/routes/x.ts", `import { a } from "../../manifests/a.ts";`, /reaches past manifests\/mod.ts/],
    ["reaching into the worker", "host/routes/x.ts", `import { w } from "../../sandbox/worker/main.ts";`, /reaches past sandbox\/mod.ts/],
    ["the host in the guest", "host/routes/x.ts", `import { c } from "../../sandbox/guest/c.ts";`, /reaches past sandbox\/mod.ts/],
    ["the guest going out", "sandbox/guest/x.ts", `import { b } from "../b.ts";`, /the guest imports/],
    ["node:* outside the platform", "host/routes/x.ts", `import type { Stats } from "node:fs";`, /imports "node:fs"/],
    ["chokidar outside the platform", "host/routes/x.ts", `import { watch } from "chokidar";`, /imports "chokidar"/],
    ["an unlisted package", "sandbox/x.ts", `import { z } from "zod";`, /sandbox imports "zod"/],
    [
      "a room that imports upwards",
      "host/tools/x.ts",
      `import { f } from "../routes/y.ts";`,
      /host\/tools imports "host\/routes\/y.ts", which is above/,
    ],
    ["a type from above", "host/tools/x.ts", `import type { f } from "../routes/y.ts";`, /host\/tools imports "host\/routes\/y.ts"/],
    ["an unknown room", "host/attic/x.ts", `import { f } from "../routes/y.ts";`, /"attic" is not a room/],
    [
      "the host's side in a worker",
      "sandbox/worker/x.ts",
      `import { p } from "../pool/p.ts";`,
      /sandbox\/worker imports "sandbox\/pool\/p.ts"/,
    ],
    [
      "the worker's side in the host",
      "sandbox/pool/x.ts",
      `import { w } from "../worker/main.ts";`,
      /sandbox\/pool imports "sandbox\/worker\/main.ts"/,
    ],
    ["a missing file", "host/routes/x.ts", `import { z } from "./gone.ts";`, /not a source file/],
    ["a proof made elsewhere", "host/routes/x.ts", `import { provePath } from "../platform/proof.ts";`, /makes a proof/],
    ["a look without a grant", "host/routes/x.ts", `import { hostPlace } from "../capabilities/checked.ts";`, /looks for the host itself/],
    ["a renamed proof", "host/routes/x.ts", `import { provePath as p } from "../platform/proof.ts";`, /makes a proof/],
    [
      "a type cycle",
      "manifests/a.ts",
      `import type { A } from "./mod.ts";`,
      /Import cycle: manifests\/mod.ts → manifests\/a.ts → manifests\/mod.ts/,
    ],
    ["process", "host/routes/x.ts", `export const x = process.env;`, /ambient "process"/],
    ["globalThis", "host/routes/x.ts", `export const x = globalThis["process"];`, /ambient "globalThis"/],
    ["fetch", "manifests/x.ts", `export const x = () => fetch("http://x");`, /ambient "fetch"/],
    ["the clock", "sandbox/x.ts", `export const x = Date.now();`, /ambient "Date.now"/],
    ["the clock by key", "sandbox/x.ts", `export const x = Date["now"]();`, /ambient "Date.now"/],
    ["the clock by constructor", "sandbox/x.ts", `export const x = new Date();`, /ambient "new Date\(\)"/],
    ["hashing where no hashing is done", "host/routes/x.ts", `export const x = crypto.subtle;`, /ambient "crypto"/],
    ["randomness", "sandbox/x.ts", `export const x = Math.random();`, /ambient "Math.random"/],
    ["a timer", "host/routes/x.ts", `setTimeout(() => {}, 1);`, /ambient "setTimeout"/],
    ["a waiting signal", "host/routes/x.ts", `export const x = AbortSignal.timeout(1);`, /ambient "AbortSignal.timeout"/],
    ["import.meta", "host/routes/x.ts", `export const x = import.meta.url;`, /ambient "import.meta"/],
    [
      "a shadow in another function",
      "host/routes/x.ts",
      `function a(process: string) { return process; } export const x = process.pid;`,
      /ambient "process"/,
    ],
  ])("finds %s", (_name, path, text, expected) => {
    const violations = violationsWith(path, text);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatch(expected);
  });

  it.each([
    ["a parameter", `export function x(process: string): string { return process; }`],
    ["a property", `export const x = (a: { process: number }) => a.process;`],
    ["a destructured name", `export const x = ({ fetch }: { fetch: () => void }) => fetch();`],
    ["a type", `export interface X { readonly performance: number; readonly at: typeof Date }`],
    ["a date made of a number", `export const x = new Date(0);`],
    ["an imported name", `import { b as setTimeout } from "../../sandbox/mod.ts"; export const x = setTimeout;`],
    ["a method name", `export class X { process(): number { return 1; } }`],
    ["text", `export const x = "process.env fetch()"; // Date.now()`],
  ])("does not mind %s", (_name, text) => {
    expect(violationsWith("host/routes/x.ts", text)).toEqual([]);
  });
});

describe("scanSource()", () => {
  it("reports every kind of import with its names, line and whether it is a type", () => {
    const text = [
      `import type { A } from "a";`,
      `import { type B } from "b";`,
      `import { type C, d as e } from "c";`,
      `export * from "f";`,
      `export type { G as H } from "g";`,
      `type I = import("i").I;`,
      `const j = await import("j");`,
    ].join("\n");
    expect(scanSource(text).imports).toEqual([
      { specifier: "a", names: ["A"], takesAll: false, typeOnly: true, line: 1 },
      { specifier: "b", names: ["B"], takesAll: false, typeOnly: true, line: 2 },
      { specifier: "c", names: ["C", "d"], takesAll: false, typeOnly: false, line: 3 },
      { specifier: "f", names: [], takesAll: true, typeOnly: false, line: 4 },
      { specifier: "g", names: ["G"], takesAll: false, typeOnly: true, line: 5 },
      { specifier: "i", names: ["I"], takesAll: false, typeOnly: true, line: 6 },
      { specifier: "j", names: [], takesAll: true, typeOnly: false, line: 7 },
    ]);
  });

  it("throws on what does not parse", () => {
    expect(() => scanSource("import {")).toThrow();
  });
});

describe("unusedExports()", () => {
  const find = (path: string, text: string): readonly string[] =>
    unusedExports(
      [
        { path: "host/a.ts", text: `export const used = 1; export function alone() {} export interface Shape {}` },
        { path: "host/mod.ts", text: `export { used } from "./a.ts"; export const face = 1;` },
      ],
      [{ path, text }],
      (file) => file === "host/mod.ts",
    ).map((line) => line.split(": ")[1] ?? "");

  const [alone, shape] = [
    `no other file imports "alone" (remove \`export\`, or the symbol)`,
    `no other file imports "Shape" (remove \`export\`, or the symbol)`,
  ];

  it("finds values and types that no other file imports, except in public faces", () => {
    expect(find("test/x.ts", `import { used } from "../host/a.ts"; used;`)).toEqual([alone, shape]);
  });

  it("counts re-exports, types, `import()` types and imports of everything as uses", () => {
    expect(find("test/x.ts", `export { alone } from "../host/a.ts"; import type { Shape } from "../host/a.ts";`)).toEqual([]);
    expect(find("test/x.ts", `export type S = import("../host/a.ts").Shape;`)).toEqual([alone]);
    expect(find("test/x.ts", `import * as all from "../host/a.ts"; all;`)).toEqual([]);
    expect(find("test/x.ts", `const all = await import("../host/a.ts"); all;`)).toEqual([]);
  });
});
