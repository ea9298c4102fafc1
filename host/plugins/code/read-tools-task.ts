/** Reads a plugin's code on a service thread: the code is untrusted, and a hostile file could hold the thread that parses it. */

import type { ServiceTask } from "../../primitives/service/task.ts";
import type { CodeReading } from "./code-tool.ts";

export const READ_TOOLS: ServiceTask<typeof readToolsTask> = { name: "code.tools", run: readToolsTask };

/** Loads the parser with the first request. */
async function readToolsTask({
  files,
  main,
}: {
  readonly files: ReadonlyMap<string, string>;
  readonly main: string;
}): Promise<CodeReading> {
  const { readTools } = await import("./read-tools.ts");
  return readTools(files, main);
}
