/** What was consented to, in memory and in `bascule.lock` (SPEC H7). */

import { type Problem, problemToText } from "../../manifests/mod.ts";
import { FileError, type Platform } from "../platform/platform.ts";
import { type LockEntries, type LockEntry, lockToText, MAX_LOCK_BYTES, parseLock } from "./lock-text.ts";
import { createInTurn } from "../in-turn.ts";

/** `bascule.lock` cannot be used as it is. Nothing is taken into service on its word, and it is never overwritten. */
export class LockFileError extends Error {
  override readonly name = "LockFileError";
  readonly problems: readonly Problem[];
  constructor(message: string, problems: readonly Problem[] = []) {
    super([message, ...problems.map((problem) => `  ${problemToText(problem)}`)].join("\n"));
    this.problems = problems;
  }
}

/** The lock of one project. */
export interface Lock {
  /** The file, absolute; absent where consent is remembered in memory only. */
  readonly file?: string;
  /** True if the file was there when it was last read. */
  exists(): boolean;
  entries(): LockEntries;
  /** Reads the file again. A broken one leaves what is known. @throws {LockFileError} if it is broken. */
  refresh(): Promise<void>;
  /**
   * Changes entries: those that `edit` gives; undefined takes one out. Others stay as the file has them by then.
   *
   * @throws {LockFileError} if the file is broken or cannot be written.
   */
  change(edit: (before: LockEntries) => ReadonlyMap<string, LockEntry | undefined>): Promise<void>;
}

/** @throws {LockFileError} if the file is broken. A missing file is an empty lock. */
export async function openLock(platform: Pick<Platform, "files">, file: string | undefined): Promise<Lock> {
  let entries: LockEntries = new Map();
  let text: string | undefined;
  // One after the other: another process may have written the file, and a slow read must not bring back what was replaced.
  const inTurn = createInTurn();

  async function read(): Promise<void> {
    if (file === undefined) return;
    const now = await readLockText(platform, file);
    if (now === text) return;
    const parsed = now === undefined ? undefined : parseLock(now);
    if (parsed?.ok === false) throw new LockFileError(`Cannot use "${file}"`, parsed.problems);
    entries = parsed?.value ?? new Map();
    text = now;
  }

  const refresh = (): Promise<void> => inTurn(read);
  await refresh();
  return {
    ...(file !== undefined && { file }),
    exists: () => text !== undefined,
    entries: () => entries,
    refresh,
    change: (edit) =>
      inTurn(async () => {
        await read();
        const after = new Map(entries);
        for (const [name, entry] of edit(entries)) {
          if (entry === undefined) after.delete(name);
          else after.set(name, entry);
        }
        const next = lockToText(after);
        if (file !== undefined && next !== (text ?? lockToText(new Map()))) await write(platform, file, next);
        if (text !== undefined || after.size > 0) text = next;
        entries = after;
      }),
  };
}

async function readLockText(platform: Pick<Platform, "files">, file: string): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await platform.files.readBytes(file, MAX_LOCK_BYTES));
  } catch (error) {
    if (error instanceof FileError && error.code === "not_found") return undefined;
    throw new LockFileError(`Cannot read "${file}": ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function write(platform: Pick<Platform, "files">, file: string, text: string): Promise<void> {
  if (new TextEncoder().encode(text).length > MAX_LOCK_BYTES) {
    throw new LockFileError(`Cannot write "${file}": it would be larger than ${MAX_LOCK_BYTES / 1024 / 1024} MiB`);
  }
  try {
    await platform.files.writeAtomic(file, text);
  } catch (error) {
    throw new LockFileError(`Cannot write "${file}": ${error instanceof Error ? error.message : String(error)}`);
  }
}
