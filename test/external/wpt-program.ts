/** A web-platform-tests file as a plugin: testharness.js, the scripts it names and the test itself, run as global scripts. */

import { RESULT_MARK } from "./suite.ts";

export interface WptProgram {
  /** Path of the file in the checkout, beginning with a slash, with the variant's query. */
  readonly path: string;
  /** Scripts to run: testharness.js first, then the META scripts. */
  readonly scripts: readonly string[];
  readonly test: string;
}

/** Returns the plugin's `main.js`. */
export function wptProgram({ path, scripts, test }: WptProgram): string {
  const shared = scripts.map(asSharedScript);
  return `const MARK = ${JSON.stringify(RESULT_MARK)};
const PATH = ${JSON.stringify(path)};
const SCRIPTS = ${JSON.stringify(shared)};
const TEST = ${JSON.stringify(test)};
${SHELL}`;
}

/**
 * Makes declarations global: scripts share theirs, but `eval` keeps `const`, `let` and `class`, and in strict mode everything, to
 * itself. Only declarations at the start of a line are at top level in these files.
 */
export function asSharedScript(text: string): string {
  return text
    .replace(/^((?:\s|\/\/.*\n|\/\*[^]*?\*\/)*)["']use strict["'];?/, "$1")
    .replace(/^(?:const|let) /gm, "var ")
    .replace(/^class (\w+)/gm, "var $1 = class $1");
}

/** Runs in the guest. Saves the globals that it needs before the test can replace them. */
const SHELL = `
const { log } = console;
const { stringify } = JSON;
const refuse = globalThis.fetch;
const evaluate = eval;
const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });

const TYPES = { json: "application/json", idl: "text/plain", txt: "text/plain", html: "text/html", js: "text/javascript" };

/** A page's URLs are relative to its location; a plugin has none. */
function resolveRelatively(name, index, method) {
  const resolve = (args) => args.map((arg, at) => (at === index && typeof arg === "string" && URL.canParse(arg, location.href) ? new URL(arg, location.href).href : arg));
  const original = globalThis[name];
  if (original === undefined) return;
  if (method !== undefined) {
    const run = original[method];
    original[method] = { [method]: (...args) => run.apply(original, resolve(args)) }[method];
    return;
  }
  const proxy = new Proxy(original, { construct: (target, args, newTarget) => Reflect.construct(target, resolve(args), newTarget) });
  Object.defineProperty(original.prototype, "constructor", { value: proxy, writable: true, configurable: true });
  define(name, proxy);
}

/** common/sab.js gets at SharedArrayBuffer through this. */
class SharedMemory {
  buffer = new SharedArrayBuffer(0);
}

async function fetchFile(input, init) {
  const url = new URL(typeof input === "string" ? input : input.url ?? input, location.href);
  const ending = url.pathname.split(".").pop();
  if (url.host !== location.host || url.search !== "" || ending === "py") return refuse(input, init);
  // Wrong arguments reject as TypeErrors first.
  new Request(url.href, init);
  const bytes = await Deno.readFile(url.pathname);
  return new Response(bytes, { headers: { "content-type": TYPES[ending] ?? "application/octet-stream" } });
}

export function run() {
  const { href, origin, protocol, host, hostname, port, pathname, search, hash } = new URL(PATH, "http://web-platform.test:8000");
  define("location", { href, origin, protocol, host, hostname, port, pathname, search, hash, toString: () => href });
  // For idlharness.js: which interfaces it expects.
  define("Window", class Window {});
  define("GLOBAL", { isWindow: () => false, isWorker: () => true, isShadowRealm: () => false });
  define("fetch", fetchFile);
  resolveRelatively("Request", 0);
  resolveRelatively("Response", 0, "redirect");
  define("WebAssembly", { Memory: SharedMemory });
  addEventListener("error", (event) => event.preventDefault());
  const report = (name, passed, message) => log(MARK + stringify([String(name).slice(0, 2000), passed, ...(passed ? [] : [String(message).slice(0, 500)])]));
  return new Promise((resolve) => {
    const fail = (error) => {
      report("(the whole file)", false, String(error) + "\\n" + (error?.stack ?? ""));
      resolve("failed");
    };
    try {
      for (const [index, script] of SCRIPTS.entries()) {
        evaluate(script);
        if (index > 0) continue;
        add_result_callback(({ name, status, message }) => report(name, status === 0 || status === 4, message));
        add_completion_callback((_tests, status) => {
          if (status.status !== 0) report("(the whole file)", false, status.message + "\\n" + status.stack);
          resolve("completed");
        });
      }
      evaluate(TEST);
    } catch (error) {
      fail(error);
    }
  });
}
`;
