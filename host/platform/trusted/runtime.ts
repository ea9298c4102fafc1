/** Chooses the program that runs a trusted plugin, and the flags that confine it. */

import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fileForDeno, nodeArguments, nodeEnvironment } from "../executable/executable.ts";
import { findDeno, spelledDifferently } from "../isolation/runtimes.ts";
import type { TrustedConfinement, TrustedRuntime, TrustedStart } from "./trusted-types.ts";

/** Returns Deno for a confined plugin, and the host's own runtime for an unconfined one. */
export function findRuntime(confinement: TrustedConfinement): TrustedRuntime | undefined {
  const isDeno = "Deno" in globalThis;
  if (isDeno) return { confinement, name: "deno", program: process.execPath };
  if (confinement === "none") return { confinement, name: "node", program: process.execPath };
  const found = findDeno();
  return found === undefined ? undefined : { confinement, name: "deno", program: realpathSync(found) };
}

/** Inputs of the command. */
interface CommandParts extends Pick<TrustedStart, "memoryBytes" | "mayRun"> {
  readonly root: string;
  readonly channel: string;
  readonly broker: string;
  readonly importMap: string;
}

interface RuntimeCommand {
  readonly command: readonly [program: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
}

const MIB = 1024 * 1024;

export function commandOf(runtime: TrustedRuntime, parts: CommandParts): RuntimeCommand {
  return runtime.name === "deno" ? denoCommand(runtime, parts) : nodeCommand(runtime, parts);
}

/**
 * Builds the command for Deno: no prompts, no downloads, no nearby project files. Persistent data (compiled code, `localStorage`, caches)
 * is removed with the process's own folder.
 *
 * With a broker, `--allow-` flags have no effect. A Deno version without broker support gets none and so allows nothing.
 */
function denoCommand({ confinement, program }: TrustedRuntime, { memoryBytes, mayRun, root, ...paths }: CommandParts): RuntimeCommand {
  const isConfined = confinement === "deno";
  return {
    command: [
      "Deno" in globalThis ? spelledDifferently(program) : program,
      "run",
      "--quiet",
      "--no-prompt",
      "--no-remote",
      "--no-npm",
      "--cached-only",
      "--no-config",
      "--no-lock",
      "--node-modules-dir=none",
      `--import-map=${paths.importMap}`,
      `--v8-flags=${heapFlag(memoryBytes)}`,
      ...(isConfined
        ? []
        : ["--allow-read", "--allow-write", "--allow-net", "--allow-env", "--allow-sys", ...(mayRun ? ["--allow-run"] : [])]),
      fileForDeno(mainFile()),
      paths.channel,
    ],
    env: {
      DENO_DIR: `${root}/deno`,
      DENO_NO_UPDATE_CHECK: "1",
      DENO_NO_PACKAGE_JSON: "1",
      NO_COLOR: "1",
      ...(isConfined && { DENO_PERMISSION_BROKER_PATH: paths.broker }),
    },
  };
}

/**
 * Builds the command for Node. Its permissions only prevent programs, addons and the inspector; files and network are open (FACTS,
 * processes).
 */
function nodeCommand({ program }: TrustedRuntime, { memoryBytes, mayRun, channel, importMap }: CommandParts): RuntimeCommand {
  const options = [
    "--no-warnings",
    "--permission",
    "--allow-fs-read=*",
    "--allow-fs-write=*",
    ...(mayRun ? ["--allow-child-process"] : []),
    heapFlag(memoryBytes),
  ];
  return {
    command: [program, ...nodeArguments(options, mainFile(), channel, importMap)],
    env: { NO_COLOR: "1", ...nodeEnvironment(options) },
  };
}

function heapFlag(memoryBytes: number): string {
  return `--max-old-space-size=${Math.max(1, Math.ceil(memoryBytes / MIB))}`;
}

function mainFile(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./plugin-main.${extension}`, import.meta.url));
}
