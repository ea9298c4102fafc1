/** Writes an MCP client's file after showing the change, and restores it (SPEC I2). */

import type { JsonObject } from "../../../manifests/mod.ts";
import { unifiedDiff } from "../../effects/overlay/unified-diff.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import { printable, printableLines } from "../../primitives/text.ts";
import { confirmAct } from "./ask.ts";
import { CliError, notFoundError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { setInJsonc } from "./edit-jsonc.ts";
import { EXIT } from "./exit-codes.ts";
import { parentOf, pathFrom } from "./paths.ts";

/** Name of the copy beside the file. An empty copy means that there was no file. */
const BEFORE = ".before-bascule";
/** Client files may hold other servers' keys. */
const OWNER_ONLY = 0o600;

/** The entry to write. */
interface Wanted {
  readonly path: string;
  readonly group: string;
  readonly name: string;
  readonly entry: JsonObject;
}

export async function writeClient(context: CommandContext, { path, group, name, entry }: Wanted): Promise<number> {
  const { output, platform } = context;
  const file = await realFile(context, path);
  const before = await textOf(context, file);
  const edited = setInJsonc(before ?? "", group, name, entry);
  if (!edited.ok)
    throw new CliError("not_written", `Cannot edit "${path}": ${edited.message}`, {
      hints: ["Repair the file, or add the printed lines by hand (the same command without --write)"],
    });
  const isSame = edited.text === before;
  if (isSame) output.line(`${printable(pathFrom(platform.environment.cwd, path))} has these settings already`);
  if (isSame || !(await agrees(context, path, before ?? "", edited.text))) return tell(context, path, isSame);
  await checkUnchanged(context, path, before);
  await platform.files.makeDirectory(parentOf(file));
  await platform.files.writeAtomic(`${file}${BEFORE}`, before ?? "", OWNER_ONLY);
  await platform.files.writeAtomic(file, edited.text, await modeOf(context, file));
  output.line(`${output.style.green("Written")}. Restart the client to connect; --undo restores the file`);
  return tell(context, path, true);
}

/** Restores the text from before the last `--write`. Refused if anything but the entry of this program has changed since. */
export async function restoreClient(context: CommandContext, { path, group, name, entry }: Wanted): Promise<number> {
  const { output, platform } = context;
  const file = await realFile(context, path);
  const before = await textOf(context, `${file}${BEFORE}`);
  if (before === undefined)
    throw notFoundError(`Nothing to undo: "${path}" was not written by ${output.program}`, [
      `${output.program} client-config --write writes it`,
    ]);
  const now = await textOf(context, file);
  // The entry may name another path now, so both texts are compared with the entry of today.
  const [current, written] = [now ?? "", before].map((text) => setInJsonc(text, group, name, entry));
  if (current?.ok !== true || written?.ok !== true || current.text !== written.text)
    throw new CliError("changed", `"${path}" changed after it was written, and --undo would lose that`, {
      hints: [`Remove "${name}" from "${group}" by hand. The earlier text is in ${printable(`${path}${BEFORE}`)}`],
    });
  if (!(await agrees(context, path, now ?? "", before))) return tell(context, path, false);
  await checkUnchanged(context, path, now);
  if (before === "") await platform.files.remove(file);
  else await platform.files.writeAtomic(file, before, await modeOf(context, file));
  await platform.files.remove(`${file}${BEFORE}`);
  output.line(`${output.style.green("Restored")} ${printable(pathFrom(platform.environment.cwd, path))}`);
  return tell(context, path, true);
}

/** The client itself may have written its file while the user read the change. @throws {CliError} if it has */
async function checkUnchanged(context: CommandContext, path: string, shown: string | undefined): Promise<void> {
  if ((await textOf(context, await realFile(context, path))) === shown) return;
  throw new CliError("changed", `"${path}" changed after the change was shown`, { hints: ["Run the command again"] });
}

/** Shows the change and asks. */
async function agrees(context: CommandContext, path: string, before: string, after: string): Promise<boolean> {
  const { output, platform } = context;
  const encoder = new TextEncoder();
  const shown = pathFrom(platform.environment.cwd, path);
  const sides = [
    { label: shown, bytes: encoder.encode(before) },
    { label: shown, bytes: encoder.encode(after) },
  ] as const;
  const diff = before === after ? "" : await unifiedDiff(...sides);
  if (diff === undefined) throw new CliError("not_written", `Cannot show the change of "${path}": the file is too large`);
  for (const line of diff.split("\n").filter((each) => each !== "")) output.line(colored(printableLines(line), output));
  const isAgreed = await confirmAct(context, `Write ${printable(shown)}?`);
  if (!isAgreed) output.line("Nothing was written");
  return isAgreed;
}

function colored(line: string, { style }: CommandContext["output"]): string {
  if (line.startsWith("+")) return style.green(line);
  return line.startsWith("-") ? style.red(line) : line;
}

function tell({ output }: CommandContext, path: string, isWritten: boolean): number {
  output.document({ ok: isWritten, path });
  return isWritten ? EXIT.ok : EXIT.denied;
}

/** Returns the target of a link, which many users have in place of such files. */
async function realFile({ platform }: CommandContext, path: string): Promise<string> {
  return (await orUndefined(platform.files.realPath(path))) ?? path;
}

async function textOf({ platform }: CommandContext, file: string): Promise<string | undefined> {
  return (await platform.files.stat(file)) === undefined ? undefined : await platform.files.readText(file);
}

async function modeOf({ platform }: CommandContext, file: string): Promise<number> {
  return ((await platform.files.stat(file))?.mode ?? OWNER_ONLY) & 0o777;
}
