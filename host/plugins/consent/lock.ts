/** What was consented to, in memory and in `bascule.lock` (SPEC H7). */

import { type Problem, problemToText, utf8Length } from "../../../manifests/mod.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import type { LockedServer, LockedServers } from "./lock-servers.ts";
import {
  EMPTY_LOCK,
  isSameLock,
  type LockContents,
  type LockEntries,
  type LockEntry,
  lockTextSlices,
  MAX_LOCK_BYTES,
  parseLockSlices,
} from "./lock-text.ts";
import { type FileSign, signOf } from "../../project/file-sign.ts";
import { inFileTurn, type TurnPlatform } from "../../project/file-turn.ts";
import { createInTurn } from "../../project/in-turn.ts";

/** `bascule.lock` cannot be used as it is. Nothing is taken into service on its word, and it is never overwritten. */
export class LockFileError extends Error {
  override readonly name = "LockFileError";
  readonly problems: readonly Problem[];
  constructor(message: string, problems: readonly Problem[] = []) {
    super([message, ...problems.map((problem) => `  ${problemToText(problem)}`)].join("\n"));
    this.problems = problems;
  }
}

/** Entries to be put in, by name; undefined takes one out. */
export type LockEdits = ReadonlyMap<string, LockEntry | undefined>;

/** The lock of one project. */
export interface Lock {
  /** The file, absolute; absent where consent is remembered in memory only. */
  readonly file?: string;
  /** True if the file was there when it was last read. */
  exists(): boolean;
  entries(): LockEntries;
  servers(): LockedServers;
  /** Reads the file again. A broken one leaves what is known. @throws {LockFileError} if it is broken. */
  refresh(): Promise<void>;
  /**
   * Changes entries: those that `edit` gives; undefined takes one out. Others stay as the file has them by then.
   *
   * @throws {LockFileError} if the file is broken or cannot be written.
   */
  change(edit: (before: LockEntries) => LockEdits | Promise<LockEdits>): Promise<void>;
  /** The same for one MCP server. */
  changeServer(name: string, edit: (before: LockedServer | undefined) => LockedServer | undefined): Promise<void>;
}

/** @throws {LockFileError} if the file is broken. A missing file is an empty lock. */
export async function openLock(platform: TurnPlatform & Pick<Platform, "slices">, file: string | undefined): Promise<Lock> {
  let contents = EMPTY_LOCK;
  let text: string | undefined;
  let sign: FileSign | undefined;
  // One after the other: another process may have written the file, and a slow read must not bring back what was replaced.
  const inTurn = createInTurn();

  async function read(): Promise<void> {
    if (file === undefined) return;
    const before = sign;
    sign = await signIn(platform, file);
    if (sign !== undefined && sign.signature === before?.signature && !before.isRacy) return;
    try {
      const now = await readLockText(platform, file);
      if (now === text) return;
      const parsed = now === undefined ? undefined : await platform.slices.run(parseLockSlices(now));
      if (parsed?.ok === false) throw new LockFileError(`Cannot use "${file}"`, parsed.problems);
      contents = parsed?.value ?? EMPTY_LOCK;
      text = now;
    } catch (error) {
      // A change of the lock is refused as long as it cannot be used.
      sign = undefined;
      throw error;
    }
  }

  /** Another process may have written the file since it was read, and another one may be about to. */
  const edit = (change: (before: LockContents) => LockContents | Promise<LockContents>): Promise<void> =>
    inTurn(async () => {
      await read();
      const wanted = await change(contents);
      // A lock that is not written is never read: its text would be made for nothing.
      if (file === undefined) return keep(wanted, "");
      if (isSameLock(contents, wanted)) return keep(wanted, text ?? "");
      await takingTurns(platform, file, async (check) => {
        await read();
        const after = await change(contents);
        const afterText = await platform.slices.run(lockTextSlices(after));
        await check();
        await write(platform, file, afterText);
        keep(after, afterText);
      });
    });

  function keep(after: LockContents, afterText: string): void {
    if (text !== undefined || !isEmpty(after)) text = afterText;
    contents = after;
  }

  const refresh = (): Promise<void> => inTurn(read);
  await refresh();
  return {
    ...(file !== undefined && { file }),
    exists: () => text !== undefined,
    entries: () => contents.plugins,
    servers: () => contents.servers,
    refresh,
    change: (of) => edit(async (before) => ({ ...before, plugins: edited(before.plugins, await of(before.plugins)) })),
    changeServer: (name, of) =>
      edit((before) => ({ ...before, servers: edited(before.servers, new Map([[name, of(before.servers.get(name))]])) })),
  };
}

function isEmpty({ plugins, servers }: LockContents): boolean {
  return plugins.size + servers.size === 0;
}

function edited<T>(before: ReadonlyMap<string, T>, edits: ReadonlyMap<string, T | undefined>): ReadonlyMap<string, T> {
  const after = new Map(before);
  for (const [name, entry] of edits) {
    if (entry === undefined) after.delete(name);
    else after.set(name, entry);
  }
  return after;
}

/** Undefined where there is none that could be compared. */
async function signIn({ files, clock }: Pick<Platform, "files" | "clock">, file: string): Promise<FileSign | undefined> {
  try {
    const info = await files.stat(file);
    return info && signOf(info, clock.now());
  } catch (error) {
    // Reading it says why.
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

async function readLockText(platform: Pick<Platform, "files">, file: string): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await platform.files.readBytes(file, MAX_LOCK_BYTES));
  } catch (error) {
    if (error instanceof FileError && error.code === "not_found") return undefined;
    throw new LockFileError(`Cannot read "${file}": ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function takingTurns(platform: TurnPlatform, file: string, work: Parameters<typeof inFileTurn<void>>[2]): Promise<void> {
  try {
    await inFileTurn(platform, `${file.slice(0, file.lastIndexOf("/"))}/.bascule/lock.busy`, work);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new LockFileError(`Cannot write "${file}": ${error.message}`);
  }
}

async function write(platform: Pick<Platform, "files">, file: string, text: string): Promise<void> {
  if (utf8Length(text, MAX_LOCK_BYTES) > MAX_LOCK_BYTES) {
    throw new LockFileError(`Cannot write "${file}": it would be larger than ${MAX_LOCK_BYTES / 1024 / 1024} MiB`);
  }
  try {
    await platform.files.writeAtomic(file, text);
  } catch (error) {
    throw new LockFileError(`Cannot write "${file}": ${error instanceof Error ? error.message : String(error)}`);
  }
}
