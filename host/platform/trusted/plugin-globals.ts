/** Gives a process the globals that a plugin has in the sandbox, as far as code can observe the difference. */

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { resolve } from "node:path";
import type { Reach } from "./plugin-context.ts";

export interface PluginGlobals extends Pick<Reach, "request" | "log"> {
  /** Base of relative paths. */
  readonly cwd: string;
  /** Folder for temporary files. */
  readonly tmp: string;
  /** Files of programs that are granted by name. */
  readonly programs: Readonly<Record<string, string>>;
}

type Callable = (...args: unknown[]) => unknown;

/** Positions of path arguments. Each function may have a twin whose name ends in `Sync`. */
const PATHS: Readonly<Record<string, readonly number[]>> = {
  chmod: [0],
  chown: [0],
  copyFile: [0, 1],
  create: [0],
  link: [0, 1],
  lstat: [0],
  mkdir: [0],
  open: [0],
  readDir: [0],
  readFile: [0],
  readLink: [0],
  readTextFile: [0],
  realPath: [0],
  remove: [0],
  rename: [0, 1],
  stat: [0],
  symlink: [1],
  truncate: [0],
  utime: [0],
  writeFile: [0],
  writeTextFile: [0],
};

const CONSOLE = { debug: "debug", trace: "debug", log: "info", info: "info", warn: "warn", error: "error" } as const;

export function arrangeGlobals({ cwd, tmp, programs, request, log }: PluginGlobals): void {
  for (const [method, level] of Object.entries(CONSOLE)) Reflect.set(console, method, (...values: unknown[]) => log(level, values));
  const { Deno: deno } = globalThis as { readonly Deno?: Record<string, unknown> };
  if (deno === undefined) return;
  const absolute = (path: unknown): unknown => (typeof path === "string" && path !== "" ? resolve(cwd, path) : path);

  /** Makes path arguments absolute, because the host cannot know the current folder of the process. */
  function wrap(name: string, change: (args: unknown[]) => unknown[]): void {
    for (const twin of [name, `${name}Sync`]) {
      const given = deno?.[twin];
      if (typeof given === "function") Reflect.set(deno ?? {}, twin, (...args: unknown[]) => (given as Callable)(...change(args)));
    }
  }
  for (const [name, places] of Object.entries(PATHS))
    wrap(name, (args) => args.map((arg, index) => (places.includes(index) ? absolute(arg) : arg)));
  for (const name of ["makeTempFile", "makeTempDir"])
    wrap(name, ([options = {}]) => {
      const { dir = tmp, ...rest } = options as { readonly dir?: string };
      return [{ ...rest, dir: absolute(dir) }];
    });
  // Replaces a granted name by the file that the host checks; Deno would look the name up in the plugin's PATH.
  const { Command } = deno as { readonly Command: new (program: string | URL, options?: object) => object };
  deno["Command"] = class extends Command {
    constructor(program: string | URL, options?: object) {
      super((typeof program === "string" && Object.hasOwn(programs, program) ? programs[program] : undefined) ?? program, options);
    }
  };
  // Deno itself answers as if nothing were granted.
  const query = async (descriptor: unknown): Promise<object> => {
    const { value } = await request("permissions.query", descriptor as object);
    return { onchange: null, partial: false, ...(value as object) };
  };
  Object.assign(deno["permissions"] as object, { query, request: query });
}

/** Installs the import map on Node, which has none of its own. */
export function arrangeImports(importMapPath: string | undefined): void {
  if (importMapPath === undefined) return;
  const { imports } = JSON.parse(readFileSync(importMapPath, "utf8")) as { readonly imports: Readonly<Record<string, string>> };
  const prefixes = Object.keys(imports).filter((name) => name.endsWith("/"));
  registerHooks({
    resolve(specifier, context, next) {
      const prefix = prefixes.find((name) => specifier.startsWith(name));
      const target = imports[specifier] ?? (prefix && (imports[prefix] ?? "") + specifier.slice(prefix.length));
      return next(target ?? specifier, context);
    },
  });
}
