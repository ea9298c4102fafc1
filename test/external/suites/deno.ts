/** Deno's own `tests/unit`, for the APIs that a plugin has. */

import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { type Checkout, digestOf, openCheckout } from "../checkout.ts";
import { readClosure } from "../imports-of.ts";
import { readStdModules } from "../std-modules.ts";
import { runDeno } from "../deno-results.ts";
import type { Suite, TestPlugin } from "../suite.ts";

export const DENO: Suite = {
  name: "deno",
  variable: "BASCULE_DENO",
  advice: "git clone --depth 1 https://github.com/denoland/deno, and BASCULE_STD as for std, whose modules its tests import",
  async findCases(root) {
    const checkout = await openCheckout(root);
    const std = await openCheckout(stdRoot(root));
    const modules = new Map([...(await readStdModules(std))].map(([name, path]) => [name, `${STD_FOLDER}${path}`]));
    const tests = (await checkout.list(FOLDER)).filter((path) => TESTED.some((name) => path === `${FOLDER}/${name}_test.ts`));
    const resolve = (name: string, from: string): string | undefined =>
      /^\.\.?\//.test(name) ? posix.join(posix.dirname(from), name) : modules.get(name);
    const read = (path: string): Promise<Uint8Array | undefined> =>
      path.startsWith(STD_FOLDER) ? std.read(path.slice(STD_FOLDER.length)) : checkout.read(path);
    const closures = await Promise.all(tests.map((test) => readClosure([test], resolve, read)));
    const data = await readWorkspace(checkout);
    // The tests also find their data by `import.meta.url`.
    const files = new Map([...closures.flatMap((closure) => [...closure]), ...data]);
    const imports = Object.fromEntries([...modules].filter(([, path]) => files.has(path)).map(([name, path]) => [name, `./${path}`]));
    const plugin: TestPlugin = { name: "deno-unit", files, imports, grants: GRANTS, workspace: data };
    return tests.map((id, index) => ({
      kind: "tests",
      id,
      digest: digestOf(closures[index] ?? new Map()),
      plugin,
      file: id,
    }));
  },
  async askDeno(root, ids) {
    const std = stdRoot(root);
    const modules = await readStdModules(await openCheckout(std));
    const imports = Object.fromEntries([...modules].map(([name, path]) => [name, pathToFileURL(join(std, path)).href]));
    return await runDeno(root, ids, imports);
  },
};

function stdRoot(root: string): string {
  return process.env["BASCULE_STD"] ?? `${root}/tests/util/std`;
}

const FOLDER = "tests/unit";
const STD_FOLDER = "tests/util/std/";

/** Test files of the APIs in SPEC appendix B; the others test servers, processes, other threads, databases and the GPU. */
const TESTED = [
  ...["abort_controller", "blob", "body", "build", "console", "copy_file", "custom_event", "dir", "dom_exception", "error", "error_stack"],
  ...["esnext", "event", "event_target", "fetch", "file", "filereader", "files", "get_random_values", "globals", "headers", "intl"],
  ...["make_temp", "message_channel", "mkdir", "navigator", "path_from_url", "performance", "permissions", "progressevent", "read_dir"],
  ...["read_file", "read_text_file", "real_path", "remove", "rename", "request", "response", "stat", "streams", "structured_clone"],
  ...["symbol", "testing", "text_encoding", "timers", "truncate", "url", "url_search_params", "urlpattern", "version", "webcrypto"],
  ...["write_file", "write_text_file"],
];

/** As `deno test -A`. */
const GRANTS = { read: true, write: true, env: true, net: true, run: true, sys: true, ffi: true } as const;

/** `deno test` runs in the root of the checkout. */
async function readWorkspace(checkout: Checkout): Promise<ReadonlyMap<string, Uint8Array>> {
  const data = await Promise.all(
    ["tests/testdata/assets", "tests/testdata/subdir", "tests/testdata/tls", "tests/testdata/webcrypto"].map((folder) =>
      checkout.list(folder),
    ),
  );
  return await readClosure(["README.md", "Cargo.toml", "cli/main.rs", ...data.flat()], () => undefined, checkout.read);
}
