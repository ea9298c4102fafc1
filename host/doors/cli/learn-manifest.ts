/** `bascule learn --write`: shows the changes of the manifest, asks for confirmation, and writes it. */

import type { Learned } from "../../plugins/learn/learn.ts";
import { patchedManifest, type ToolPermissions } from "../../plugins/learn/manifest-patch.ts";
import { type Manifest, parseManifest, problemToText } from "../../../manifests/mod.ts";
import { changedLines } from "./changed-lines.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { pathFrom } from "./paths.ts";
import { printable } from "../../primitives/text.ts";

interface WriteRequest {
  readonly manifest: Manifest;
  readonly directory: string;
  readonly learned: Learned;
  readonly ofTool: (tool: string) => Learned;
  /** Number of distinct recorded acts. */
  readonly acts: number;
}

/** Writes the manifest. @returns true if it was written @throws {CliError} if no terminal is attached to confirm on */
export async function writeLearned(
  context: CommandContext,
  { manifest, directory, learned, ofTool, acts }: WriteRequest,
): Promise<boolean> {
  const { platform, output, options, signal } = context;
  const { files, terminal, environment } = platform;
  if (acts === 0) throw usageError("Nothing to write: no acts were recorded", ["Call the plugin's tools first, or use --cases"]);
  const path = `${directory}/manifest.json`;
  const before = await files.readText(path);
  const ofTools: ToolPermissions = new Map(manifest.tools.map(({ name }) => [name, ofTool(name).permissions]));
  const after = patchedManifest(manifest, learned.permissions, ofTools);
  const checked = parseManifest(after);
  if (!checked.ok)
    throw new CliError("manifest", "The manifest would be invalid with these permissions", { hints: checked.problems.map(problemToText) });
  const shown = pathFrom(environment.cwd, path);
  if (after === before) {
    output.line(`${printable(shown)} already requests exactly these permissions`);
    return false;
  }
  output.line();
  output.line(printable(shown));
  for (const line of changedLines(before, after, output.style)) output.line(line);
  if (!options.has("yes")) {
    if (!terminal.interactive || output.json)
      throw usageError("Needs confirmation, and no terminal is attached to ask on", ["Give --yes to write without confirmation"]);
    const answer = await terminal.ask(`${output.style.bold("Write it?")} [y/N] `, signal);
    if (answer === undefined || !/^\s*y(es)?\s*$/iu.test(answer)) return false;
  }
  await files.writeAtomic(path, after);
  output.line(`Written: ${printable(shown)}`);
  return true;
}
