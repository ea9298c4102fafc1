/** The author's line that a call's error was thrown at, as problems of code are shown. */

import type { ToolResult } from "../../call/call.ts";
import { DoorError, type Operations, type PluginProblem, type PluginView } from "../operations.ts";
import { withFrame } from "../plugin-view.ts";
import type { Files } from "../../platform/platform.ts";
import { problemLines } from "./frame.ts";
import type { Output } from "./output.ts";
import { pathFrom } from "./paths.ts";

/** What is needed to find the plugin's files. */
export interface ThrownOptions {
  readonly operations: Pick<Operations, "info">;
  readonly files: Files;
  readonly output: Output;
  readonly cwd: string;
}

/**
 * Lines that show it; none if the error has no place in the plugin's own code, or the folder holds another version than the one
 * that ran.
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
  return problemLines(problem, { folder: pathFrom(cwd, plugin.directory), columns: output.columns, style: output.style });
}

/** Undefined if it was taken away since. */
async function pluginOf(tool: string, operations: ThrownOptions["operations"]): Promise<PluginView | undefined> {
  try {
    return (await operations.info(tool)).plugin;
  } catch (error) {
    if (error instanceof DoorError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Another host says it of its plugins, as it likes: looking for places takes the square of its length. */
const MAX_STACK = 4_096;

/** The first frame of the author's own files. The engine's own part in a loop has a position that is none: 1:1. */
function firstPlace(stack: string): Required<Pick<PluginProblem, "file" | "line" | "column">> | undefined {
  const frames = [...stack.slice(0, MAX_STACK).matchAll(/\(?([^\s():]+):(\d+):(\d+)\)?$/gmu)].filter(([, file, line, column]) => {
    return !file?.startsWith("vendor/") && !(line === "1" && column === "1");
  });
  const [, file, line, column] = frames[0] ?? [];
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) };
}
