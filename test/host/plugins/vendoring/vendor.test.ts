import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBundler } from "../../../../host/platform/bundling/bundler.ts";
import { toGraph } from "../../../../host/platform/bundling/deno-graph.ts";
import { compareText } from "../../../../host/primitives/digest.ts";
import { parsePackageSpecifier } from "../../../../host/plugins/vendoring/package-specifier.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { plantOnDisk } from "../../../support/plant.ts";
import { createCliProject, type CliProject } from "../../doors/cli/run-cli.ts";
import { MANIFEST, pkg } from "./packages.ts";

const PACKAGES = {
  ...pkg(
    "modern",
    { type: "module", exports: { ".": "./main.js", "./sub": "./sub.js" } },
    {
      "main.js": `import { shared } from "dep"; export const modern = () => shared; export default "the default";`,
      "sub.js": `import { shared } from "dep"; export const sub = () => shared;`,
    },
  ),
  ...pkg("old", { main: "index.js" }, { "index.js": `exports.left = (text) => "<" + text; exports.right = (text) => text + ">";` }),
  ...pkg("dep", { type: "module", main: "dep.js" }, { "dep.js": `export const shared = { made: "once" };` }),
  ...pkg(
    "@jsr/scope__typed",
    { type: "module", exports: "./mod.ts" },
    { "mod.ts": `export enum Kind { One = "one" } export const kind: Kind = Kind.One;` },
  ),
};

const MAIN = `import fallback, { modern } from "modern";
import { sub } from "modern/sub";
import { left } from "old";
import { kind } from "typed";
export const run = (): unknown => [modern() === sub(), fallback, left("x"), kind];`;
const IMPORTS = { modern: "npm:modern@^1", "modern/sub": "npm:modern@^1/sub", old: "npm:old", typed: "jsr:@scope/typed@1" };

function project(imports: object, files: Readonly<Record<string, string>> = {}): Promise<CliProject> {
  return createCliProject({
    ...PACKAGES,
    "plugins/demo/manifest.json": JSON.stringify({ ...MANIFEST, imports }),
    "plugins/demo/main.ts": MAIN,
    ...files,
  });
}

describe("bascule vendor", () => {
  it("imports Node's globals as modules into packages that use them, and selects the production branch [PB3.vendor] [PB3.node]", async () => {
    await using demo = await createCliProject({
      ...pkg(
        "nodeish",
        { type: "module", main: "n.js" },
        {
          "n.js": `export const n = () => [Buffer.from("hi").toString("hex"), typeof process.cwd, process.env.NODE_ENV !== "production"];`,
        },
      ),
      ...pkg("plain", { type: "module", main: "p.js" }, { "p.js": `export const p = 1;` }),
      "plugins/demo/manifest.json": JSON.stringify({ ...MANIFEST, imports: { nodeish: "npm:nodeish", plain: "npm:plain" } }),
      "plugins/demo/main.ts": `import { n } from "nodeish"; import { p } from "plain"; export const run = () => [...n(), p];`,
    });
    expect(await demo.run(["vendor", "demo"])).toMatchObject({ code: 0 });
    const called = await demo.run(["call", "demo.run", "--json"]);
    expect(JSON.parse(called.out)).toMatchObject({ output: ["6869", "function", false, 1] });
    expect(await readFile(join(demo.folder, "plugins/demo/vendor/plain.js"), "utf8")).not.toContain("node:");
  });

  it("resolves `require` to the Node modules that plugins have, and all others to stubs that throw when called [PB3.node] [PB3.vendor]", async () => {
    await using demo = await createCliProject({
      ...pkg(
        "requires",
        { main: "n.js" },
        {
          "n.js": `const Events = require("events"); const { format } = require("node:util"); const vm = require("vm"); const { Socket } = require("dgram");
class Own extends Events {} class Stream extends Socket {}
exports.n = () => { const own = new Own(); let got; own.on("a", (x) => { got = x; }); own.emit("a", 1); return [format("%s", got), typeof vm.inner.run, typeof Stream]; };
exports.read = () => vm.inner.run("x");`,
        },
      ),
      "plugins/demo/manifest.json": JSON.stringify({ ...MANIFEST, imports: { requires: "npm:requires" } }),
      "plugins/demo/main.ts": `import { n, read } from "requires";
export const run = (args: { read?: boolean }) => (args.read ? read() : n());`,
    });
    const { code, out } = await demo.run(["vendor", "demo"]);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(
        "  note npm:requires uses what plugins do not have: node:dgram (node_modules/requires/n.js), node:vm (node_modules/requires/n.js); it throws when it is called\n",
      ),
    ]);
    expect(JSON.parse((await demo.run(["call", "run", "--json"])).out)).toMatchObject({ output: ["1", "function", "function"] });
    const message = "NotSupported: A plugin has no node:vm, so inner.run() does not work: use web or Deno APIs";
    expect(JSON.parse((await demo.run(["call", "run", '{"read":true}', "--json"])).out)).toMatchObject({ error: { message } });
  });

  it("uses a package's browser files only if it would otherwise need missing Node modules [PB3.vendor]", async () => {
    const both = (node: string): Readonly<Record<string, string>> => ({
      "node.js": `import * as vm from "${node}"; export const where = () => [typeof vm, "node"];`,
      "browser.js": `export const where = () => "browser";`,
    });
    const exports = { exports: { ".": { browser: "./browser.js", default: "./node.js" } }, type: "module" };
    await using demo = await createCliProject({
      ...pkg("two", exports, both("vm")),
      ...pkg("one", exports, both("path")),
      ...pkg(
        "mapped",
        { main: "m.js", browser: { "./node.js": "./browser.js" } },
        {
          "m.js": `exports.where = require("./node.js").where;`,
          "node.js": `require("net").connect; exports.where = () => "node";`,
          "browser.js": `exports.where = () => "mapped";`,
        },
      ),
      "plugins/demo/manifest.json": JSON.stringify({ ...MANIFEST, imports: { one: "npm:one", two: "npm:two", mapped: "npm:mapped" } }),
      "plugins/demo/main.ts": `import * as one from "one"; import * as two from "two"; import { where } from "mapped";
export const run = () => [one.where(), two.where(), where()];`,
    });
    expect((await demo.run(["vendor", "demo"])).out).not.toContain("note");
    expect(JSON.parse((await demo.run(["call", "run", "--json"])).out)).toMatchObject({
      output: [["object", "node"], "browser", "mapped"],
    });
  });

  it("builds a package the same way, whatever else is vendored [AX2.alone] [PB3.vendor]", async () => {
    const exports = { exports: { ".": { browser: "./browser.js", default: "./node.js" } }, type: "module" };
    await using demo = await createCliProject({
      // The browser build needs as much, and a document in addition.
      ...pkg("first", exports, {
        "node.js": `import * as net from "net"; export const first = () => ["node", typeof net];`,
        "browser.js": `import * as net from "net"; export const title = document.title; export const first = () => ["browser", typeof net];`,
      }),
      ...pkg("second", exports, {
        "node.js": `import { a } from "vm"; import { b } from "tls"; import { c } from "dgram"; export const second = () => [a, b, c];`,
        "browser.js": `export const second = () => "browser";`,
      }),
      "plugins/demo/manifest.json": JSON.stringify({ ...MANIFEST, imports: { first: "npm:first" } }),
      "plugins/demo/main.ts": `import { first } from "first"; export const run = () => first();`,
    });
    const firstFile = (): Promise<string> => readFile(join(demo.folder, "plugins/demo/vendor/first.js"), "utf8");
    expect(await demo.run(["vendor", "demo"])).toMatchObject({ code: 0 });
    const alone = await firstFile();
    await demo.write(
      "plugins/demo/main.ts",
      `import { first } from "first"; import { second } from "second"; export const run = () => [first(), second()];`,
    );
    expect(await demo.run(["vendor", "demo", "--add", "npm:second"])).toMatchObject({ code: 0 });
    expect(await firstFile()).toBe(alone);
    expect(JSON.parse((await demo.run(["call", "run", "--json"])).out)).toMatchObject({ output: [["node", "object"], "browser"] });
  });

  it("loads each package in the sandbox, and reports what is missing if one does not load [AX2.loaded]", async () => {
    await using demo = await createCliProject({
      ...pkg("fine", { type: "module", main: "f.js" }, { "f.js": `export const fine = 1;` }),
      ...pkg("dom", { type: "module", main: "d.js" }, { "d.js": `export const title = document.title;` }),
      ...pkg("reads", { main: "r.js" }, { "r.js": `exports.text = require("child_process").execSync("x");` }),
      "plugins/demo/manifest.json": JSON.stringify({ ...MANIFEST, imports: { fine: "npm:fine", dom: "npm:dom", reads: "npm:reads" } }),
      "plugins/demo/main.ts": `import { fine } from "fine"; export const run = () => fine;`,
    });
    const { code, out } = await demo.run(["vendor", "demo"]);
    expect({ code, lines: out.split("\n") }).toEqual({
      code: 1,
      lines: [
        expect.stringMatching(/^bad {2}demo/),
        `  "npm:dom" does not load in a plugin in any build (default, browser, node): ReferenceError: 'document' is not defined (node_modules/dom/d.js:1:22)`,
        `  "npm:reads" does not load in a plugin in any build (default, browser, node): NotSupported: A plugin has no node:child_process, so execSync() does not work: use web or Deno APIs (node_modules/reads/r.js:1:49)`,
        "  Nothing was written",
        "  try linkedom, cheerio or parse5, which need no browser",
        "  try a tool that the user lists as trusted: a plugin cannot start processes",
        "",
      ],
    });
    await expect(readdir(join(demo.folder, "plugins/demo/vendor"))).rejects.toThrow("ENOENT");
  });

  it("bundles ES modules, CommonJS, TypeScript and shared code, with hashes and licences, and they run [PB3.vendor] [B7.imports]", async () => {
    await using demo = await project(IMPORTS);
    const folder = join(demo.folder, "plugins/demo");
    expect(await demo.run(["vendor", "demo"])).toEqual({
      code: 0,
      error: "",
      out: `good demo  plugins/demo
  npm:modern@^1 1.2.3, MIT
  npm:modern@^1/sub 1.2.3, MIT
  npm:old 1.2.3, MIT
  jsr:@scope/typed@1 1.2.3, MIT
  8 files in vendor/
`,
    });
    const files = await readdir(join(folder, "vendor"));
    expect(files.filter((file) => !file.startsWith("chunk-")).toSorted(compareText)).toEqual([
      ...["modern-sub.js", "modern.LICENSE.txt", "modern.js", "old.LICENSE.txt", "old.js"],
      ...["typed.LICENSE.txt", "typed.js", "vendor.json"],
    ]);
    const listed = JSON.parse(await readFile(join(folder, "vendor/vendor.json"), "utf8")) as {
      readonly imports: object;
      readonly files: Readonly<Record<string, string>>;
    };
    expect(listed.imports).toEqual({
      "jsr:@scope/typed@1": "./vendor/typed.js",
      "npm:modern@^1": "./vendor/modern.js",
      "npm:modern@^1/sub": "./vendor/modern-sub.js",
      "npm:old": "./vendor/old.js",
    });
    expect(Object.keys(listed.files)).toHaveLength(8);
    expect(JSON.parse(await readFile(join(folder, "deno.json"), "utf8"))).toEqual({
      imports: { modern: "./vendor/modern.js", "modern/sub": "./vendor/modern-sub.js", old: "./vendor/old.js", typed: "./vendor/typed.js" },
    });
    const called = await demo.run(["call", "run", "--json"]);
    expect((JSON.parse(called.out) as { readonly output: unknown }).output).toEqual([true, "the default", "<x", "one"]);
  });

  it("writes the same bytes again, and removes files that are no longer needed [PB3.vendor]", async () => {
    await using demo = await project(IMPORTS, { "plugins/demo/vendor/README.md": "mine" });
    const list = join(demo.folder, "plugins/demo/vendor/vendor.json");
    await demo.run(["vendor"]);
    const first = await readFile(list, "utf8");
    await demo.run(["vendor"]);
    expect(await readFile(list, "utf8")).toBe(first);
    await demo.write("plugins/demo/manifest.json", JSON.stringify({ ...MANIFEST, imports: { old: "npm:old" } }));
    await demo.run(["vendor"]);
    expect((await readdir(join(demo.folder, "plugins/demo/vendor"))).toSorted()).toEqual([
      "README.md",
      "old.LICENSE.txt",
      "old.js",
      "vendor.json",
    ]);
  });

  it("adds imports to the manifest [PB3.vendor]", async () => {
    await using demo = await project({});
    const { code } = await demo.run(["vendor", "demo", "--add", "npm:old@1", "--add", "typed=jsr:@scope/typed@1"]);
    const manifest = JSON.parse(await readFile(join(demo.folder, "plugins/demo/manifest.json"), "utf8")) as { readonly imports: object };
    expect({ code, imports: manifest.imports }).toEqual({
      code: 0,
      imports: { old: "npm:old@1", typed: "jsr:@scope/typed@1", modern: "npm:modern@^1.2.3", "modern/sub": "npm:modern@^1.2.3/sub" },
    });
  });

  it.each([
    [
      "is not installed",
      { gone: "npm:gone@2" },
      `  "npm:gone@2" (imported at main.ts:1:22) is not installed
  The download failed: npm: request to http://127.0.0.1:9/gone failed, reason: connect ECONNREFUSED 127.0.0.1:9
  try npm install --save-dev gone@2
`,
    ],
    [
      "is installed in another version",
      { gone: "npm:old@^2" },
      `  "npm:old@^2" (imported at main.ts:1:22) is not installed: node_modules has version 1.2.3`,
    ],
    ["is named by a prefix", { "gone/": "npm:/modern@1/" }, `  No package is listed for "gone" (imported at main.ts:1:22): `],
    [
      "is not listed",
      {},
      `  No package is listed for "gone" (imported at main.ts:1:22): it is not in manifest.json, deno.json, package.json or node_modules
  try bascule vendor demo --add npm:gone
`,
    ],
  ])("changes nothing if a package %s, and suggests what to do [AX2.refused] [PB3.vendor]", async (_what, imports, told) => {
    await using demo = await project(imports, {
      "plugins/demo/main.ts": `import { gone } from "gone"; export const run = gone;`,
      // No server listens on this port.
      ".npmrc": "registry=http://127.0.0.1:9/\nfetch-retries=0\n",
    });
    const { code, out } = await demo.run(["vendor", "demo"]);
    expect(code).toBe(1);
    expect(out).toContain(told);
    expect((await readdir(join(demo.folder, "plugins/demo"))).toSorted()).toEqual(["main.ts", "manifest.json"]);
  });

  it.each([
    ["changed", "plugins/demo/vendor/old.js", "export const left = () => 'evil';", 'File "vendor/old.js" is not the vendored one'],
    ["added", "plugins/demo/vendor/more.js", "", 'File "vendor/more.js" is not in "vendor/vendor.json"'],
    ["broken", "plugins/demo/vendor/vendor.json", "{", '"vendor/vendor.json" was not written by `bascule vendor`'],
  ])("refuses to load a plugin after a vendored file was %s [PB3.hashes] [B7.refused]", async (_what, path, text, told) => {
    await using demo = await project({ ...IMPORTS });
    await demo.run(["vendor"]);
    expect((await demo.run(["check"])).code).toBe(0);
    await demo.write(path, text);
    const { code, out } = await demo.run(["check"]);
    expect(code).toBe(1);
    expect(out).toContain(told);
    expect((await demo.run(["call", "run"])).code).not.toBe(0);
  });
});

describe("bundling from Deno's cache", () => {
  it("follows the graph of `deno info`, its redirects and the packages' import maps [PB3.vendor]", async () => {
    const folder = await temporaryFolder();
    await plantOnDisk(join(folder, "cache/one"), `import { two } from "@scope/two"; export const one: string = two + "!";`);
    await plantOnDisk(join(folder, "cache/two"), `export const two = "two" as const;`);
    const at = (name: string): string => `https://jsr.io/@scope/${name}/1.0.0/mod.ts`;
    const graph = toGraph({
      version: 1,
      modules: [
        {
          specifier: at("one"),
          local: join(folder, "cache/one"),
          dependencies: [{ specifier: "@scope/two", code: { specifier: "jsr:@scope/two@^1" } }],
        },
        { specifier: at("two"), local: join(folder, "cache/two") },
      ],
      redirects: { "jsr:@scope/one@1": at("one"), "jsr:@scope/two@^1": at("two") },
    });
    if (typeof graph === "string") throw new Error(graph);
    const outcome = await createBundler().bundle({
      entries: [{ output: "one", specifier: "jsr:@scope/one@1", exports: { names: [], default: "absent" } }],
      build: "default",
      directory: folder,
      nodeModules: new Set(),
      graph,
    });
    const code = outcome.ok ? (outcome.files.get("one.js") ?? "") : outcome.message;
    const made = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { readonly one: string };
    expect(made.one).toBe("two!");
  });

  it("returns Deno's error if a module is missing", () => {
    expect(toGraph({ modules: [{ specifier: "jsr:x", error: "Not found" }] })).toBe("Not found");
  });
});

describe("parsePackageSpecifier()", () => {
  it.each([
    ["npm:a", { registry: "npm", name: "a" }],
    ["npm:/@s/a@^1.2/b/c.js", { registry: "npm", name: "@s/a", range: "^1.2", subpath: "/b/c.js" }],
    ["jsr:@s/a@1", { registry: "jsr", name: "@s/a", range: "1" }],
    ["jsr:a", undefined],
    ["npm:../a", undefined],
    ["npm:a/../../b", undefined],
    ["https://a", undefined],
  ])("parses %s", (text, expected) => {
    expect(parsePackageSpecifier(text)).toEqual(expected);
  });
});
