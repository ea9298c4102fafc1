/** Formats the source line at which a tool threw, like other problems in code. */

import type { ToolResult } from "../../call/call.ts";
import { DoorError, type Operations, type PluginProblem, type PluginView } from "../operations.ts";
import { withFrame } from "../problem-frame.ts";
import type { Files } from "../../platform/platform.ts";
import { problemLines } from "./frame.ts";
import type { Output } from "./output.ts";
import { pathFrom } from "./paths.ts";

/** Context for finding the plugin's files. */
export interface ThrownOptions {
  readonly operations: Pick<Operations, "info">;
  readonly files: Files;
  readonly output: Output;
  readonly cwd: string;
}

/**
 * Formats the source line. Returns no lines if the error has no position in the plugin's own code, or if the folder contains another
 * version than the one that ran.
 */
export async function thrownLines(result: ToolResult | undefined, options: ThrownOptions): Promise<readonly string[]> {
  const stack = result === undefined || result.ok ? undefined : result.error.details?.["stack"];
  const place = typeof stack === "string" ? firstPlace(stack) : undefined;
  if (result === undefined || place === undefined) return [];
  const { operations, files, output, cwd } = options;
  const plugin = await pluginOf(result.tool, operations);
  if (plugin?.directory === undefined || plugin.state !== "loaded" || plugin.digest !== result.digest) return [];
  const problem: PluginProblem = await withFrame(
    { severity: "error", pointer: "", message: "thrown here", ...place },
    plugin.directory,
    files,
  );
  if (problem.frame === undefined) return [];
  return problemLines(problem, { ...output, folder: pathFrom(cwd, plugin.directory) });
}

/** Returns the plugin of a tool; undefined if it was removed in the meantime. */
async function pluginOf(tool: string, operations: ThrownOptions["operations"]): Promise<PluginView | undefined> {
  try {
    return (await operations.info(tool)).plugin;
  } catch (error) {
    if (error instanceof DoorError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Maximum characters of a stack to search. The stack may come from another host, and matching takes quadratic time. */
const MAX_STACK = 4_096;

/** Returns the first frame in the author's files. Frames at 1:1 are skipped: the engine reports its own code there. */
function firstPlace(stack: string): Required<Pick<PluginProblem, "file" | "line" | "column">> | undefined {
  const frames = [...stack.slice(0, MAX_STACK).matchAll(/\(?([^\s():]+):(\d+):(\d+)\)?$/gmu)].filter(([, file, line, column]) => {
    return !file?.startsWith("vendor/") && !(line === "1" && column === "1");
  });
  const [, file, line, column] = frames[0] ?? [];
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) };
}
