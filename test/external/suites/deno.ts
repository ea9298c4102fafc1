/** Deno's own `tests/unit`, for the APIs that a plugin has. */

import { posix } from "node:path";
import { type Checkout, digestOf, openCheckout } from "../checkout.ts";
import { readClosure } from "../imports-of.ts";
import { readStdModules } from "../std-modules.ts";
import type { Suite, TestPlugin } from "../suite.ts";

export const DENO: Suite = {
  name: "deno",
  variable: "BASCULE_DENO",
  advice: "git clone --depth 1 https://github.com/denoland/deno, and BASCULE_STD as for std, whose modules its tests import",
  async findCases(root) {
    const checkout = await openCheckout(root);
    const std = await openCheckout(process.env["BASCULE_STD"] ?? `${root}/tests/util/std`);
    const modules = new Map([...(await readStdModules(std))].map(([name, path]) => [name, `${STD_FOLDER}${path}`]));
    const tests = (await checkout.list(FOLDER)).filter((path) => TESTED.some((name) => path === `${FOLDER}/${name}_test.ts`));
    const resolve = (name: string, from: string): string | undefined =>
      /^\.\.?\//.test(name) ? posix.join(posix.dirname(from), name) : modules.get(name);
    const read = (path: string): Promise<Uint8Array | undefined> =>
      path.startsWith(STD_FOLDER) ? std.read(path.slice(STD_FOLDER.length)) : checkout.read(path);
    const closures = await Promise.all(tests.map((test) => readClosure([test], resolve, read)));
    const files = new Map(closures.flatMap((closure) => [...closure]));
    const imports = Object.fromEntries([...modules].filter(([, path]) => files.has(path)).map(([name, path]) => [name, `./${path}`]));
    const plugin: TestPlugin = { name: "deno-unit", files, imports, grants: GRANTS, workspace: await readWorkspace(checkout) };
    return tests.map((id, index) => ({
      kind: "tests",
      id,
      digest: digestOf(closures[index] ?? new Map()),
      plugin,
      file: startOf(id, files),
    }));
  },
};

const FOLDER = "tests/unit";
const STD_FOLDER = "tests/util/std/";

/** The files of SPEC appendix B's APIs; the others test servers, processes, other threads, databases and the GPU. */
/** Tests that end when a name is missing as their file begins get it, so that the others run. */
const READY = new Map([
  ["tests/unit/webcrypto_test.ts", `SubtleCrypto.supports ??= () => { throw new Error("There is no SubtleCrypto.supports"); };`],
]);

const TESTED = [
  ...["abort_controller", "blob", "body", "build", "console", "copy_file", "custom_event", "dir", "dom_exception", "error", "error_stack"],
  ...["esnext", "event", "event_target", "fetch", "file", "filereader", "files", "get_random_values", "globals", "headers", "intl"],
  ...["make_temp", "message_channel", "mkdir", "navigator", "path_from_url", "performance", "permissions", "progressevent", "read_dir"],
  ...["read_file", "read_text_file", "real_path", "remove", "rename", "request", "response", "stat", "streams", "structured_clone"],
  ...["symbol", "testing", "text_encoding", "timers", "truncate", "url", "url_search_params", "urlpattern", "version", "webcrypto"],
  ...["write_file", "write_text_file"],
];

/** What is run: the file, or one that makes things ready for it, which is put beside `files`. */
function startOf(id: string, files: Map<string, Uint8Array>): string {
  const code = READY.get(id);
  if (code === undefined) return id;
  const start = id.replace("unit/", "ready/");
  files.set(start, new TextEncoder().encode(`${code}\nawait import("../unit/${id.slice(FOLDER.length + 1)}");\n`));
  return start;
}

/** As `deno test -A`. */
const GRANTS = { read: true, write: true, env: true, net: true, run: true, sys: true, ffi: true } as const;

/** `deno test` runs in the checkout's root. */
async function readWorkspace(checkout: Checkout): Promise<ReadonlyMap<string, Uint8Array>> {
  const data = await Promise.all(["tests/testdata/assets", "tests/testdata/subdir"].map((folder) => checkout.list(folder)));
  return await readClosure(["README.md", "Cargo.toml", "cli/main.rs", ...data.flat()], () => undefined, checkout.read);
}
