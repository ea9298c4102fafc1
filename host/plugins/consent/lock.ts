/** Accepted plugin versions, in memory and in `bascule.lock` (SPEC H7). */

import { type Problem, problemToText, utf8Length } from "../../../manifests/mod.ts";
import { errorText } from "../../platform/error-text.ts";
import { createMutex } from "../../platform/mutex.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
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

/** `bascule.lock` is not valid. Nothing is loaded based on it, and it is never overwritten. */
export class LockFileError extends Error {
  override readonly name = "LockFileError";
  readonly problems: readonly Problem[];
  /** @param cause the failed file operation */
  constructor(message: string, problems: readonly Problem[] = [], cause?: unknown) {
    super([message, ...problems.map((problem) => `  ${problemToText(problem)}`)].join("\n"), { cause });
    this.problems = problems;
  }
}

/** Entries to write, by name; undefined removes an entry. */
type LockEdits = ReadonlyMap<string, LockEntry | undefined>;

/** The lock of one project. */
export interface Lock {
  /** Absolute path of the file; absent if consent is kept in memory only. */
  readonly file?: string;
  /** Returns true if the file existed when it was last read. */
  exists(): boolean;
  entries(): LockEntries;
  servers(): LockedServers;
  /** Reads the file again. A broken file leaves the entries as they are. @throws {LockFileError} if it is broken. */
  refresh(): Promise<void>;
  /**
   * Writes the entries that `edit` returns; undefined removes one. All others stay as they are in the file.
   *
   * @throws {LockFileError} if the file is broken or cannot be written.
   */
  change(edit: (before: LockEntries) => LockEdits | Promise<LockEdits>): Promise<void>;
  /** Changes the entry of one MCP server, as `change` does. */
  changeServer(name: string, edit: (before: LockedServer | undefined) => LockedServer | undefined): Promise<void>;
}

/** @throws {LockFileError} if the file is broken. A missing file is an empty lock. */
export async function openLock(platform: TurnPlatform & Pick<Platform, "slices">, file: string | undefined): Promise<Lock> {
  let contents = EMPTY_LOCK;
  let text: string | undefined;
  let sign: FileSign | undefined;
  // Reads and changes run one after the other: another process may have written the file, and a slow read must not restore what was
  // replaced.
  const inTurn = createMutex();

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
      // Forces a read next time: changes are refused while the lock is broken.
      sign = undefined;
      throw error;
    }
  }

  /** Computes the change twice: another process may have written the file before this one holds the file lock. */
  const edit = (change: (before: LockContents) => LockContents | Promise<LockContents>): Promise<void> =>
    inTurn(async () => {
      await read();
      const wanted = await change(contents);
      // A lock in memory has no reader, so its text is not made.
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

/** Returns the file's signature; undefined if there is none to compare. */
async function signIn({ files, clock }: Pick<Platform, "files" | "clock">, file: string): Promise<FileSign | undefined> {
  // Reading the file reports the error.
  const info = await orUndefined(files.stat(file));
  return info && signOf(info, clock.now());
}

async function readLockText(platform: Pick<Platform, "files">, file: string): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await platform.files.readBytes(file, MAX_LOCK_BYTES));
  } catch (error) {
    if (error instanceof FileError && error.code === "not_found") return undefined;
    throw new LockFileError(`Cannot read "${file}": ${errorText(error)}`);
  }
}

async function takingTurns(platform: TurnPlatform, file: string, work: Parameters<typeof inFileTurn<void>>[2]): Promise<void> {
  try {
    await inFileTurn(platform, `${file.slice(0, file.lastIndexOf("/"))}/.bascule/lock.busy`, work);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new LockFileError(`Cannot write "${file}": ${error.message}`, [], error);
  }
}

async function write(platform: Pick<Platform, "files">, file: string, text: string): Promise<void> {
  if (utf8Length(text, MAX_LOCK_BYTES) > MAX_LOCK_BYTES) {
    throw new LockFileError(`Cannot write "${file}": it would be larger than ${MAX_LOCK_BYTES / 1024 / 1024} MiB`);
  }
  try {
    await platform.files.writeAtomic(file, text);
  } catch (error) {
    throw new LockFileError(`Cannot write "${file}": ${errorText(error)}`, [], error);
  }
}
