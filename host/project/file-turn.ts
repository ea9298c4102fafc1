/** Changes of a file that several processes make: one after the other, so that none of them is lost (SPEC H7). */

import { FileError, type Platform } from "../platform/platform.ts";

/** Nobody changes a file for so long: who has the turn then has ended without giving it back. */
const STALE_MS = 10_000;
/** However often it changes hands. */
const MAX_WAIT_MS = 60_000;
const POLL_MS = 15;
const MAX_TRIES = 5;

/** Another process took the turn for one that was left behind. */
class TurnLost extends Error {}

/**
 * Does the work while no other process that takes turns with the same `busy` file does. What the work read before does not count:
 * it reads again.
 *
 * @param busy absolute; is there while somebody has the turn.
 * @param work calls `check` right before it writes. It is done again where the turn was lost, so until then it changes nothing.
 * @param staleMs how long the work can take, at most 50 s: a turn that lasts longer was left behind.
 * @throws {FileError} `busy` if it never gets its turn, others if the file cannot be made.
 */
export async function inFileTurn<T>(
  platform: Pick<Platform, "files" | "clock" | "random">,
  busy: string,
  work: (check: () => Promise<void>) => Promise<T>,
  staleMs: number = STALE_MS,
): Promise<T> {
  const { files } = platform;
  await files.makeDirectory(busy.slice(0, Math.max(1, busy.lastIndexOf("/"))));
  for (let tries = 1; ; tries += 1) {
    const mark = platform.random.uuidv7();
    await take(platform, busy, { mark, staleMs });
    try {
      return await work(async () => {
        if ((await holder(files, busy)) !== mark) throw new TurnLost();
      });
    } catch (error) {
      if (!(error instanceof TurnLost)) throw error;
      if (tries === MAX_TRIES) throw new FileError("busy", `"${busy}" was taken away ${MAX_TRIES} times`);
    } finally {
      if ((await holder(files, busy)) === mark) await files.remove(busy);
    }
  }
}

async function take(
  { files, clock }: Pick<Platform, "files" | "clock">,
  busy: string,
  { mark, staleMs }: { readonly mark: string; readonly staleMs: number },
): Promise<void> {
  const begunMs = clock.monotonic();
  let seen: string | undefined;
  let seenMs = begunMs;
  // Waiting is all that a command may have to do.
  const letGo = clock.keepAlive();
  try {
    while (!(await files.createNew(busy, mark))) {
      const now = clock.monotonic();
      if (now - begunMs > MAX_WAIT_MS)
        throw new FileError("busy", `"${busy}" says that another process is changing the file (delete it if none does)`);
      const other = await holder(files, busy);
      if (other !== seen) [seen, seenMs] = [other, now];
      else if (now - seenMs > staleMs) await files.remove(busy);
      await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
    }
  } finally {
    letGo();
  }
}

/** Undefined where there is none, or something else than a file of ours. */
async function holder(files: Platform["files"], busy: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await files.readBytes(busy, 64));
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}
