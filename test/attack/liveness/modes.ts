/** Runtime, isolation and engine of a host, and the destination of its log. */

import { fileURLToPath } from "node:url";
import { REPOSITORY } from "../../../scripts/run-command.ts";

export interface Mode {
  readonly runtime: "node" | "deno";
  readonly isolation: "thread" | "process";
  readonly engine: "metered" | "plain";
}

export type ModeName = "threads" | "process" | "plain" | "deno" | "deno-process" | "deno-plain";

export const MODES: Readonly<Record<ModeName, Mode>> = {
  threads: { runtime: "node", isolation: "thread", engine: "metered" },
  process: { runtime: "node", isolation: "process", engine: "metered" },
  plain: { runtime: "node", isolation: "thread", engine: "plain" },
  deno: { runtime: "deno", isolation: "thread", engine: "metered" },
  "deno-process": { runtime: "deno", isolation: "process", engine: "metered" },
  "deno-plain": { runtime: "deno", isolation: "thread", engine: "plain" },
};

/** @throws {TypeError} if no mode has this name */
export function readMode(name: string): ModeName {
  const found = (Object.keys(MODES) as readonly ModeName[]).find((mode) => mode === name); // the object's own keys
  if (found === undefined) throw new TypeError(`Unknown mode "${name}" (choose from ${Object.keys(MODES).join(", ")})`);
  return found;
}

/** `unread` is a pipe that is never read. */
export type Stderr = "file" | "pipe" | "unread" | "terminal";

const PROBE = fileURLToPath(new URL("probe.ts", import.meta.url));

/** Returns the command line that runs a program of this repository with the probe loaded. */
export function commandFor({ runtime }: Pick<Mode, "runtime">, program: string, args: readonly string[]): readonly string[] {
  const bin = `${REPOSITORY}node_modules/.bin/`;
  return runtime === "node"
    ? [`${bin}node`, "--import", PROBE, program, ...args]
    : [`${bin}deno`, "run", "-A", "--quiet", "--preload", PROBE, program, ...args];
}
