/** The `Deno` namespace: its virtual values, and the place where its parts are combined. */

import { denoInspect, inspectArgs } from "../inspect/console.ts";
import { createDenoEnv } from "./deno-env.ts";
import { createDenoErrors } from "./deno-errors.ts";
import { createDenoFile } from "./deno-file.ts";
import { createDenoFs } from "./deno-fs.ts";
import { getCwd } from "./deno-paths.ts";
import { createPermissions } from "./deno-permissions.ts";
import { DENO_VERSION } from "../web/navigator.ts";
import { define } from "../language/primordials.ts";
import { createTest } from "../test/test-register.ts";
import { nameFunction } from "../web/webidl.ts";

/** The same on every machine, because a plugin's image holds nothing of the host. */
const BUILD = { target: "x86_64-unknown-linux-gnu", arch: "x86_64", os: "linux", vendor: "unknown", env: "gnu", standalone: false };
const VERSION = { deno: DENO_VERSION, v8: "0.0.0", typescript: "6.0.3" };

/** Deno's own key for internals; only the formatting functions of `console.log` are provided. */
const INTERNAL = Symbol("Deno.internal");

export function createDeno(): object {
  const deno = {};
  const members = {
    ...createDenoFs(),
    ...createDenoFile(),
    ...createPermissions(),
    errors: createDenoErrors(),
    env: createDenoEnv(),
    inspect: denoInspect,
    test: createTest(),
    bench: createBench(),
    internal: INTERNAL,
    cwd: () => getCwd(),
    refTimer: () => {},
    unrefTimer: () => {},
    build: Object.freeze(BUILD),
    version: Object.freeze(VERSION),
    args: Object.freeze([]),
    noColor: true,
    pid: 1,
    ppid: 0,
  };
  for (const [name, member] of Object.entries(members)) define(deno, name, member, true);
  nameFunction(denoInspect, "inspect");
  nameFunction(inspectArgs, "inspectArgs");
  define(deno, INTERNAL, Object.freeze({ inspectArgs }));
  return deno;
}

/** Registers nothing: benchmarks do not run, as under `deno run`. */
function createBench(): object {
  const bench = (): void => {};
  define(bench, "ignore", () => {}, true);
  define(bench, "only", () => {}, true);
  nameFunction(bench, "bench");
  return bench;
}
