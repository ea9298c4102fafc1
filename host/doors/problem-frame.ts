/** The lines around a problem in a plugin's file. */

import { isBelow } from "../../manifests/mod.ts";
import { orUndefined } from "../platform/or-undefined.ts";
import type { Files } from "../platform/platform.ts";
import { excerpt } from "./code-frame.ts";
import type { PluginProblem } from "./operations.ts";

export const MAX_FRAMED_BYTES: number = 2 * 1024 * 1024;

/** Adds the lines around the problem's position, if the file can be read. */
export async function withFrame(problem: PluginProblem, directory: string, files: Files): Promise<PluginProblem> {
  // The folder is untrusted: a path that leaves it is not read for a code frame.
  if (problem.line === undefined || problem.file === undefined || problem.file.split("/").includes("..")) return problem;
  const text = await readOwn(directory, problem.file, files);
  const frame = text === undefined ? undefined : excerpt(text, problem.line);
  return frame === undefined ? problem : { ...problem, frame };
}

/** As `readText`, but also undefined if a link in the path leaves the folder. */
async function readOwn(directory: string, file: string, files: Files): Promise<string | undefined> {
  const path = `${directory}/${file}`;
  const [real, root] = await Promise.all([path, directory].map((place) => orUndefined(files.realPath(place))));
  return real === undefined || root === undefined || !isBelow(real, root) ? undefined : await readText(path, files);
}

/** Reads a file. Returns undefined if it is missing, too large, not a regular file or a link. */
export async function readText(path: string, files: Files): Promise<string | undefined> {
  if ((await orUndefined(files.lstat(path)))?.kind !== "file") return undefined;
  const bytes = await orUndefined(files.readBytes(path, MAX_FRAMED_BYTES));
  return bytes && new TextDecoder().decode(bytes);
}
