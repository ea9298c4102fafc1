import { readdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { nodeModuleNames } from "../../../../sandbox/mod.ts";
import { REPOSITORY } from "../../../support/source-files.ts";
import { createCliProject, type CliProject } from "../../doors/cli/run-cli.ts";
import { MANIFEST, pkg } from "./packages.ts";

const LIBRARY = pkg(
  "library",
  { type: "module", exports: { ".": "./main.js", "./deep/*": "./deep/*.js", "./data.json": "./data.json" } },
  {
    "main.js": `export const whole = "whole";`,
    "deep/one.js": `export default "one";`,
    "deep/two.js": `export default "two";`,
    "data.json": `{ "json": true }`,
  },
);

function project(main: string, files: Readonly<Record<string, string>>, imports?: object): Promise<CliProject> {
  return createCliProject({
    "plugins/demo/manifest.json": JSON.stringify({ ...MANIFEST, ...(imports !== undefined && { imports }) }),
    "plugins/demo/main.ts": main,
    ...files,
  });
}

/** Vendors and returns the output of the plugin's tool, or what was printed if that fails. */
async function outputOf(demo: CliProject, args: readonly string[] = []): Promise<unknown> {
  const vendored = await demo.run(["vendor", "demo", ...args]);
  if (vendored.code !== 0) return vendored.out + vendored.error;
  const called = await demo.run(["call", "demo.run", "--json"]);
  return (JSON.parse(called.out) as { readonly output?: unknown }).output ?? called.out;
}

function fileOf(demo: CliProject, path: string): Promise<string> {
  return readFile(join(demo.folder, "plugins/demo", path), "utf8");
}

async function importsOf(demo: CliProject): Promise<unknown> {
  return (JSON.parse(await fileOf(demo, "manifest.json")) as { readonly imports?: unknown }).imports;
}

describe("imports that `bascule vendor` finds", () => {
  it("vendors specifiers in the code, with versions and sub-paths, and leaves the manifest as it is [AX2.inline]", async () => {
    await using demo = await project(
      `import one from "npm:library@1/deep/one";
import two from 'npm:/library@^1.2/deep/two';
export { whole } from "npm:library";
const lazily = () => import("npm:library@1/data.json", { with: { type: "json" } });
export const run = async () => [one, two, (await lazily()).default];`,
      LIBRARY,
    );
    expect(await outputOf(demo)).toEqual(["one", "two", { json: true }]);
    expect(await importsOf(demo)).toBeUndefined();
  });

  it("follows the import map of a deno.jsonc with comments, with prefixes and sub-paths, and keeps the file's text [AX2.lists]", async () => {
    const config = `{
  // packages
  "imports": { "lib": "npm:library@1", /* all of it */ "deep/": "npm:/library@1/deep/", "@own/": "./own/", },
}
`;
    await using demo = await project(
      `import { whole } from "lib"; import data from "lib/data.json" with { type: "json" };
import one from "deep/one"; import own from "@own/own.ts"; import { plain } from "plain";
export const run = () => [whole, data, one, own, plain];`,
      {
        ...LIBRARY,
        ...pkg("plain", { type: "module", main: "p.js" }, { "p.js": `export const plain = 1;` }),
        "plugins/demo/deno.jsonc": config,
        "plugins/demo/own/own.ts": `export default "own" as string;`,
      },
      { plain: "npm:plain" },
    );
    expect(await outputOf(demo)).toEqual(["whole", { json: true }, "one", "own", 1]);
    expect(await importsOf(demo)).toEqual({
      plain: "npm:plain",
      lib: "npm:library@1",
      "lib/data.json": "npm:library@1/data.json",
      "deep/": "npm:/library@1/deep/",
      "@own/": "./own/",
    });
    expect(await fileOf(demo, "deno.jsonc")).toBe(config.replace(`"imports": {`, `"imports": {\n    "plain": "./vendor/plain.js",`));
    expect((await readdir(join(demo.folder, "plugins/demo"))).includes("deno.json")).toBe(false);
  });

  it("takes bare names from the nearest package.json, with aliases, and from node_modules [AX2.lists]", async () => {
    await using demo = await project(
      `import { whole } from "library"; import one from "other/deep/one"; import { here } from "here"; import type { Gone } from "gone";
export const run = (): Gone => [whole, one, here];`,
      {
        ...LIBRARY,
        ...Object.fromEntries(Object.entries(LIBRARY).map(([path, text]) => [path.replace("/library/", "/other/"), text])),
        ...pkg("here", { type: "module", main: "h.js" }, { "h.js": `export const here = "here";` }),
        "package.json": `{ "dependencies": { "library": "^1.0.0" }, "devDependencies": { "other": "npm:library@~1.2" } }`,
      },
    );
    expect(await outputOf(demo)).toEqual(["whole", "one", "here"]);
    expect(await importsOf(demo)).toEqual({
      library: "npm:library@^1.0.0",
      "other/deep/one": "npm:library@~1.2/deep/one",
      here: "npm:here@^1.2.3",
    });
  });

  it.each([
    [
      "an address",
      `import "https://esm.sh/dayjs@1";`,
      {},
      `  A plugin imports nothing from the web: "https://esm.sh/dayjs@1" (imported at main.ts:1:8)\n  try write "npm:dayjs@1" in its place\n`,
    ],
    [
      "a list that leads out of the plugin",
      `import "@/x.ts";`,
      { "deno.json": `{ "imports": { "@/": "./lib/" } }` },
      `  "@/" is "./lib/", which is outside of the plugin's folder (imported at main.ts:1:8)\n`,
    ],
    [
      "a Node module that plugins do not have",
      `import { connect } from "net";`,
      {},
      `  A plugin has no "node:net" (imported at main.ts:1:25)\n  try fetch, with \`permissions.net\` in the manifest\n`,
    ],
    ["a list that is not JSON", `import "x";`, { "plugins/demo/deno.json": `{ "imports": ` }, `/plugins/demo/deno.json": `],
  ])("refuses %s, and names the place [AX2.refused]", async (_what, main, files, told) => {
    await using demo = await project(main, files);
    const { code, out } = await demo.run(["vendor", "demo"]);
    expect([code, out]).toEqual([1, expect.stringContaining(told)]);
  });

  it("vendors what tests import too, and tells of files that it cannot read [AX2.inline]", async () => {
    await using demo = await project(`export const run = () => 1;`, {
      ...LIBRARY,
      "plugins/demo/main.test.ts": `import { whole } from "npm:library@1"; Deno.test("it is whole", () => { if (whole !== "whole") throw new Error(); });`,
      "plugins/demo/broken.ts": `import {`,
    });
    const { code, out } = await demo.run(["vendor", "demo"]);
    expect([code, out]).toEqual([0, expect.stringContaining("  note the imports of broken.ts were not read: ")]);
    expect(await fileOf(demo, "vendor/library-1.js")).toContain("whole");
  });
});

describe("exports of vendored packages", () => {
  it("gives CommonJS packages the names that they export, whatever the code imports [AX2.commonjs]", async () => {
    await using demo = await project(
      `import * as all from "npm:common"; import whole, { a, delete as remove } from "npm:common";
import transpiled, { b } from "npm:transpiled"; import { reexported } from "npm:wrapper"; import required from "npm:conditional";
export const run = () => [Object.keys(all).sort(), typeof whole, a, remove, transpiled.b, b, reexported, required];`,
      {
        ...pkg(
          "common",
          { main: "c.js" },
          {
            "c.js": `module.exports = function () {}; module.exports.a = 1; module.exports["delete"] = 2; module.exports["not-a-name"] = 3;`,
          },
        ),
        ...pkg(
          "transpiled",
          { main: "t.js" },
          { "t.js": `Object.defineProperty(exports, "__esModule", { value: true }); exports.b = "b";` },
        ),
        ...pkg(
          "wrapper",
          { type: "module", exports: "./w.js" },
          { "w.js": `export * from "./inner.cjs";`, "inner.cjs": `exports.reexported = "inner";` },
        ),
        ...pkg(
          "conditional",
          { exports: { ".": { require: "./r.cjs", import: { node: "./n.mjs", default: "./i.mjs" } } } },
          { "r.cjs": `module.exports = "require";`, "n.mjs": `export default "node";`, "i.mjs": `export default "import";` },
        ),
      },
    );
    expect(await outputOf(demo)).toEqual([["a", "default", "delete"], "function", 1, 2, "b", "b", "inner", "import"]);
  });

  it("finds the default export of a module with very many names [AX2.commonjs]", async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_one, index) => [`no identifier ${String(index)}`, index]));
    await using demo = await project(
      `import many from "npm:many/data.json" with { type: "json" }; import other, { name4999 } from "npm:many"; export const run = () => [Object.keys(many).length, name4999, typeof other];`,
      pkg(
        "many",
        { main: "m.js" },
        { "data.json": JSON.stringify(many), "m.js": `for (let n = 0; n < 5000; n++) exports["name" + n] = n;` },
      ),
    );
    expect(await outputOf(demo)).toEqual([5_000, 4_999, "object"]);
  });

  it("tells which export of a package cannot be read, and keeps the others [AX2.loaded]", async () => {
    await using demo = await project(`import { fine } from "npm:half"; export const run = () => fine;`, {
      ...pkg(
        "half",
        { main: "h.js" },
        {
          "h.js": `exports.fine = 1; Object.defineProperty(exports, "broken", { enumerable: true, get() { return require("vm").Script(); } });`,
        },
      ),
    });
    const { code, out } = await demo.run(["vendor", "demo"]);
    const told = `  note npm:half: its export "broken" cannot be read: NotSupported: A plugin has no node:vm, so Script() does not work: use web or Deno APIs\n`;
    expect([code, out]).toEqual([0, expect.stringContaining(told)]);
    expect(await outputOf(demo)).toBe(1);
  });

  it("loads a package that requires another one, which is not installed, and throws when it is used [AX2.optional]", async () => {
    await using demo = await project(
      `import { load } from "npm:drivers"; export const run = () => { try { return load(); } catch (error) { return String(error); } };`,
      {
        ...pkg("drivers", { main: "d.js" }, { "d.js": `exports.load = () => require("driver").connect();` }),
      },
    );
    expect(await outputOf(demo)).toBe(
      "NotSupported: The package driver is not vendored, so connect() does not work: install it, and run `bascule vendor --update`",
    );
  });
});

describe("the build of a vendored package", () => {
  const builds = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    pkg("builds", { type: "module", exports: { ".": { node: "./node.js", browser: "./browser.js", default: "./default.js" } } }, files);
  const MAIN = `import { build } from "npm:builds"; export const run = () => build;`;

  it.each([
    ["default", { "default.js": `export const build = "default";`, "browser.js": `export const build = "browser";`, "node.js": "" }],
    ["browser", { "default.js": `throw new Error("not here");`, "browser.js": `export const build = "browser";`, "node.js": "" }],
    ["node", { "default.js": `window.x;`, "browser.js": `document.x;`, "node.js": `export const build = "node";` }],
  ])("is the first that loads, and is recorded: %s [AX2.build]", async (build, files) => {
    await using demo = await project(MAIN, builds(files));
    expect(await outputOf(demo)).toBe(build);
    expect(JSON.parse(await fileOf(demo, "vendor/vendor.json"))).toMatchObject({ packages: { "npm:builds": { build } } });
  });

  it("stays when a new version would load in an earlier one too, until `--update` [AX2.build]", async () => {
    await using demo = await project(
      MAIN,
      builds({ "default.js": `window.x;`, "browser.js": `export const build = "browser";`, "node.js": "" }),
    );
    expect(await outputOf(demo)).toBe("browser");
    const newer = pkg(
      "builds",
      { version: "1.3.0", type: "module", exports: { ".": { browser: "./browser.js", default: "./default.js" } } },
      { "default.js": `export const build = "default 1.3";`, "browser.js": `export const build = "browser 1.3";` },
    );
    for (const [path, text] of Object.entries(newer)) await demo.write(path, text);
    expect(await outputOf(demo)).toBe("browser 1.3");
    expect(await outputOf(demo, ["--update"])).toBe("default 1.3");
  });

  it("stays when a new version has another that lacks less, until `--update` [AX2.build]", async () => {
    const lacking = `import vm from "node:vm"; export const build = "default " + typeof vm;`;
    await using demo = await project(MAIN, pkg("builds", { type: "module", exports: "./default.js" }, { "default.js": lacking }));
    expect(await outputOf(demo)).toBe("default object");
    for (const [path, text] of Object.entries(
      pkg(
        "builds",
        { version: "1.3.0", type: "module", exports: { ".": { browser: "./browser.js", default: "./default.js" } } },
        { "default.js": lacking, "browser.js": `export const build = "browser";` },
      ),
    ))
      await demo.write(path, text);
    expect(await outputOf(demo)).toBe("default object");
    expect(await outputOf(demo, ["--update"])).toBe("browser");
  });
});

describe("packages that are vendored already", () => {
  const first = (text: string): Readonly<Record<string, string>> => ({
    ...pkg(
      "first",
      { type: "module", main: "f.js", dependencies: { shared: "1" } },
      { "f.js": `import { shared } from "shared"; export const first = "${text} " + shared;` },
    ),
    ...pkg("shared", { type: "module", main: "s.js" }, { "s.js": `export const shared = "${text}";` }),
    ...pkg("second", { type: "module", main: "s.js" }, { "s.js": `import { shared } from "shared"; export const second = shared;` }),
  });

  it("keep their bytes when another is added, even one that they depend on, until `--update` [AX2.kept] [AX2.alone]", async () => {
    await using demo = await project(`import { first } from "npm:first"; export const run = () => first;`, first("old"));
    expect(await outputOf(demo)).toBe("old old");
    const alone = await fileOf(demo, "vendor/first.js");
    // The installed files change, as with another package manager or another version of a dependency.
    for (const [path, text] of Object.entries(first("new"))) await demo.write(path, text);
    await demo.write(
      "plugins/demo/main.ts",
      `import { first } from "npm:first"; import { second } from "npm:second"; import { shared } from "npm:shared"; export const run = () => [first, second, shared];`,
    );
    expect(await outputOf(demo)).toEqual(["old old", "new", "new"]);
    expect(await fileOf(demo, "vendor/first.js")).toBe(alone);
    expect(await outputOf(demo, ["--update"])).toEqual(["new new", "new", "new"]);
  });

  it("are bundled again with a package that names them as its peer, so that both share one [AX2.peers]", async () => {
    const files = {
      ...pkg("core", { type: "module", main: "c.js" }, { "c.js": `export class Core {}` }),
      ...pkg(
        "plug",
        { type: "module", main: "p.js", peerDependencies: { core: "1" } },
        { "p.js": `import { Core } from "core"; export const isCore = (value) => value instanceof Core;` },
      ),
    };
    await using demo = await project(`import { Core } from "npm:core"; export const run = () => typeof Core;`, files);
    expect(await outputOf(demo)).toBe("function");
    await demo.write(
      "plugins/demo/main.ts",
      `import { Core } from "npm:core"; import { isCore } from "npm:plug"; export const run = () => isCore(new Core());`,
    );
    expect(await outputOf(demo)).toBe(true);
  });

  it("need not be installed any more [AX2.kept]", async () => {
    await using demo = await project(`import { whole } from "npm:library@1"; export const run = () => whole;`, LIBRARY);
    expect(await outputOf(demo)).toBe("whole");
    await using other = await project(`import { whole } from "npm:library@1"; export const run = () => whole;`, {
      "plugins/demo/vendor/vendor.json": await fileOf(demo, "vendor/vendor.json"),
      "plugins/demo/vendor/library-1.js": await fileOf(demo, "vendor/library-1.js"),
      "plugins/demo/vendor/library-1.LICENSE.txt": await fileOf(demo, "vendor/library-1.LICENSE.txt"),
    });
    expect(await outputOf(other)).toBe("whole");
  });
});

describe("packages that are not installed", () => {
  it("are downloaded with the project's registries, without running their scripts, for npm and jsr [AX2.download]", async () => {
    await using registry = await startRegistry({
      remote: { main: "r.js", "r.js": `exports.remote = "from npm";`, scripts: { install: "exit 1" } },
      "@jsr/scope__remote": { main: "r.js", type: "module", "r.js": `export const typed = "from jsr";` },
    });
    await using demo = await project(
      `import { remote } from "npm:remote@^1"; import { typed } from "jsr:@scope/remote@1"; export const run = () => [remote, typed];`,
      { ".npmrc": `registry=${registry.url}\n@jsr:registry=${registry.url}\n` },
    );
    expect(await outputOf(demo)).toEqual(["from npm", "from jsr"]);
    expect((await readdir(join(demo.folder, "plugins/demo"))).toSorted()).toEqual(["main.ts", "manifest.json", "vendor"]);
  });
});

describe("the guide", () => {
  it("lists Node's modules that plugins have [AX2.names] [PB3.node]", async () => {
    const page = await readFile(`${REPOSITORY}docs/guide/packages.md`, "utf8");
    const listed = [...page.slice(page.indexOf("## What works")).matchAll(/`(node:[^`]+)`/g)].map(([, name]) => name);
    expect(listed).toEqual([...(await nodeModuleNames())]);
  });
});

interface Registry extends AsyncDisposable {
  readonly url: string;
}

/** A registry with version 1.0.0 of each package. Members of a package that end in ".js" are files, others fields of its package.json. */
async function startRegistry(packages: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Promise<Registry> {
  const server: Server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1);
    const [name = "", file] = path.split("/-/");
    const contents = packages[name];
    if (contents === undefined) return void response.writeHead(404).end("{}");
    const fields = Object.entries(contents).filter(([member]) => !member.endsWith(".js"));
    const manifest = { name, version: "1.0.0", ...Object.fromEntries(fields) };
    if (file === undefined) {
      const dist = { tarball: `${url}${name}/-/package.tgz` };
      return void response.end(JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { ...manifest, dist } } }));
    }
    const texts = Object.entries(contents).filter(([member]) => member.endsWith(".js"));
    response.end(
      tarball(new Map([["package.json", JSON.stringify(manifest)], ...texts.map(([member, text]) => [member, String(text)] as const)])),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${String(typeof address === "object" && address !== null ? address.port : 0)}/`;
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function tarball(files: ReadonlyMap<string, string>): Buffer {
  const parts: Buffer[] = [];
  for (const [path, text] of files) {
    const header = Buffer.alloc(512);
    const size = Buffer.byteLength(text);
    header.write(`package/${path}`, 0);
    for (const [at, value] of [
      [100, "0000644\0"],
      [108, "0000000\0"],
      [116, "0000000\0"],
      [124, `${size.toString(8).padStart(11, "0")}\0`],
      [136, "00000000000\0"],
      [148, "        "],
      [156, "0"],
      [257, "ustar\0"],
      [263, "00"],
    ] as const)
      header.write(value, at);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    parts.push(header, Buffer.from(text), Buffer.alloc((512 - (size % 512)) % 512));
  }
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]));
}
