/** web-platform-tests: the `.any.js` files of the folders in SPEC appendix B. */

import { createHash } from "node:crypto";
import { readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, posix, sep } from "node:path";
import { readDenoExpectations } from "../deno-results.ts";
import type { ScriptCase, Suite } from "../suite.ts";
import { wptProgram } from "../wpt-program.ts";

export const WPT: Suite = {
  name: "wpt",
  variable: "BASCULE_WPT",
  advice: "git clone --depth 1 https://github.com/web-platform-tests/wpt",
  async findCases(root) {
    const folder = await realpath(root);
    const harness = await readFile(join(folder, "resources/testharness.js"), "utf8");
    const cases: ScriptCase[] = [];
    for (const path of await findTests(folder)) cases.push(...(await casesOf({ folder, harness, path })));
    return cases;
  },
  async askDeno() {
    const deno = process.env["BASCULE_DENO"];
    return deno === undefined ? undefined : await readDenoExpectations(deno);
  },
};

/** Folders from which all tests are taken that need neither a server nor a window. */
const FOLDERS = [
  ...["FileAPI", "compression", "console", "dom/abort", "dom/events", "encoding", "hr-time"],
  ...[
    "WebCryptoAPI",
    "fetch/api/abort",
    "fetch/api/body",
    "fetch/api/headers",
    "fetch/api/request",
    "fetch/api/response",
    "fetch/data-urls",
  ],
  ...["html/webappapis/atob", "html/webappapis/microtask-queuing", "html/webappapis/structured-clone", "html/webappapis/timers"],
  ...["streams", "url", "urlpattern", "user-timing", "webidl/ecmascript-binding", "webmessaging", "xhr/formdata", "mimesniff/mime-types"],
];

/** Tests that do not apply to plugins, each with the reason. */
const LEFT_OUT: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^WebCryptoAPI\/historical\.any\.js$/, "a plugin is a secure context"],
  [/^streams\/transferable\//, "windows and workers"],
  [/^webmessaging\/broadcastchannel\//, "a plugin has one thread"],
  [/^streams\/readable-byte-streams\/non-transferable-buffers\.any\.js$/, "no memory of WebAssembly"],
  [/^streams\/readable-streams\/owning-type-video-frame/, "no video"],
  [/\/(?:idlharness-shadowrealm|.*\.shadowrealm.*)\.any\.js$/, "no shadow realms"],
  [/^fetch\/api\/request\/(?:destination|multi-globals)\/|^fetch\/api\/request\/request-(?:cache|bad-port|keepalive)/, "needs a server"],
];

interface TestFile {
  readonly folder: string;
  readonly harness: string;
  readonly path: string;
}

async function findTests(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const part of FOLDERS) {
    const names = await readdir(join(folder, part), { recursive: true }).catch(() => []);
    for (const name of names) {
      const path = posix.join(part, name.split(sep).join("/"));
      if (path.endsWith(".any.js") && !LEFT_OUT.some(([pattern]) => pattern.test(path))) found.push(path);
    }
  }
  return found.sort();
}

async function casesOf({ folder, harness, path }: TestFile): Promise<ScriptCase[]> {
  const test = await readFile(join(folder, path), "utf8");
  const meta = [...test.matchAll(/^\/\/ META: *(\w+)=(.*)$/gm)].map(([, key, value]) => ({ key: key ?? "", value: (value ?? "").trim() }));
  const valuesOf = (key: string): string[] => meta.filter((entry) => entry.key === key).map((entry) => entry.value);
  const scripts = await Promise.all(valuesOf("script").map((name) => readText(folder, resolve(path, name))));
  const variants = valuesOf("variant");
  const digest = createHash("sha256")
    .update([test, ...scripts].join("\0"))
    .digest("hex")
    .slice(0, 12);
  return (variants.length === 0 ? [""] : variants).map((variant) => ({
    kind: "script" as const,
    id: `${path}${variant}`,
    digest,
    files: { "main.js": wptProgram({ path: `/${path}${variant}`, scripts: [harness, ...scripts], test }) },
    readFile: (name) => readInside(folder, name),
  }));
}

function resolve(test: string, name: string): string {
  return name.startsWith("/") ? name.slice(1) : posix.join(dirname(test), name);
}

/** The suite's server serves this file under another name. */
const ALIASES: ReadonlyMap<string, string> = new Map([["resources/WebIDLParser.js", "resources/webidl2/lib/webidl2.js"]]);

async function readText(folder: string, name: string): Promise<string> {
  const path = ALIASES.get(name) ?? name;
  return readFile(join(folder, path), "utf8").catch(() => `throw new Error("The checkout has no file " + ${JSON.stringify(path)})`);
}

/** Returns the file at the path that a test requests, if the checkout has it. */
async function readInside(folder: string, path: string): Promise<Uint8Array | undefined> {
  const real = await realpath(join(folder, posix.normalize(`/${path}`))).catch(() => undefined);
  if (real === undefined || !real.startsWith(folder + sep)) return undefined;
  return new Uint8Array(await readFile(real));
}
