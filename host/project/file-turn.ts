/** Changes of a file that several processes make: one after the other, so that none of them is lost (SPEC H7). */

import { isJsonObject, parseJson } from "../../manifests/mod.ts";
import type { ProcessIdentity } from "../platform/environment-types.ts";
import { FileError, type Platform } from "../platform/platform.ts";

/** What it takes to have a turn. */
export type TurnPlatform = Pick<Platform, "files" | "clock" | "random" | "log"> & {
  readonly environment: Pick<Platform["environment"], "self" | "fateOf">;
};

/** A turn of a process that cannot be asked about, on another machine for instance, was left behind when it lasts so long. */
const STALE_MS = 10_000;
/** However often it changes hands. */
const MAX_WAIT_MS = 60_000;
/** Waiting so long is worth a word. */
const SAY_AFTER_MS = 1_000;
const POLL_MS = 15;
const MAX_TRIES = 5;
const MAX_MARK_BYTES = 1_024;

/** Another process took the turn for one that was left behind. */
class TurnLost extends Error {}

/**
 * Does the work while no other process that takes turns with the same `busy` file does. What the work read before does not count:
 * it reads again. A turn of a process that was killed ends with it.
 *
 * @param busy absolute; exists while a process has the turn, and says which.
 * @param work calls `check` right before it writes. It is done again where the turn was lost, so until then it changes nothing.
 * @param staleMs how long the work can take, at most 50 s: a turn of a process that cannot be asked about and lasts longer was left behind.
 * @throws {FileError} `busy` if it never gets its turn, others if the file cannot be made.
 */
export async function inFileTurn<T>(
  platform: TurnPlatform,
  busy: string,
  work: (check: () => Promise<void>) => Promise<T>,
  staleMs: number = STALE_MS,
): Promise<T> {
  const { files } = platform;
  await files.makeDirectory(busy.slice(0, Math.max(1, busy.lastIndexOf("/"))));
  for (let tries = 1; ; tries += 1) {
    const mark = markOf(platform);
    await take(platform, busy, { mark, staleMs });
    try {
      return await work(async () => {
        if ((await markIn(files, busy)) !== mark) throw new TurnLost();
      });
    } catch (error) {
      if (!(error instanceof TurnLost)) throw error;
      if (tries === MAX_TRIES) throw new FileError("busy", `"${busy}" was taken away ${MAX_TRIES} times`);
    } finally {
      if ((await markIn(files, busy)) === mark) await files.remove(busy);
    }
  }
}

async function take(
  platform: TurnPlatform,
  busy: string,
  { mark, staleMs }: { readonly mark: string; readonly staleMs: number },
): Promise<void> {
  const { files, clock, log } = platform;
  const begunMs = clock.monotonic();
  let seen: string | undefined;
  let seenMs = begunMs;
  let isSaid = false;
  // Waiting is all that a command may have to do.
  const letGo = clock.keepAlive();
  try {
    while (!(await files.createNew(busy, mark))) {
      const now = clock.monotonic();
      const other = await markIn(files, busy);
      const fate = fateOfMark(platform, other);
      if (now - begunMs > MAX_WAIT_MS)
        throw new FileError("busy", `${holderText(platform, other)} is changing the file (delete "${busy}" if that process does nothing)`);
      if (!isSaid && now - begunMs > SAY_AFTER_MS) {
        isSaid = true;
        log.write("warn", `Waiting for ${holderText(platform, other)}, which holds "${busy}"`);
      }
      if (other !== seen) [seen, seenMs] = [other, now];
      else if (fate === "unknown" && now - seenMs > staleMs) await files.remove(busy);
      if (fate === "gone" && other !== undefined && (await takeAway(platform, busy, other))) continue;
      await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
    }
  } finally {
    letGo();
  }
  // A process that was killed while it took the turn away from another one.
  const over = overOf(busy);
  if (fateOfMark(platform, await markIn(files, over)) === "gone") await files.remove(over);
}

/**
 * Ends the turn of a process that is gone. Of several that find it so, one at a time looks again and removes it: or one would remove the
 * turn that another has by then.
 *
 * @returns whether it is worth trying again at once
 */
async function takeAway(platform: TurnPlatform, busy: string, gone: string): Promise<boolean> {
  const { files } = platform;
  const over = overOf(busy);
  if (!(await files.createNew(over, markOf(platform)))) {
    if (fateOfMark(platform, await markIn(files, over)) === "gone") await files.remove(over);
    return false;
  }
  try {
    if ((await markIn(files, busy)) === gone) await files.remove(busy);
    return true;
  } finally {
    await files.remove(over);
  }
}

/** Exists while a process takes the turn away from one that is gone. */
function overOf(busy: string): string {
  return `${busy}.over`;
}

/** Says which process has the turn; no two turns have the same. */
export function markOf({ random, environment }: Pick<TurnPlatform, "random" | "environment">): string {
  const { pid, startedAt, machine, scope } = environment.self;
  return JSON.stringify({ turn: random.uuidv7(), pid, startedAt, machine, scope });
}

/** Undefined where there is none, or something else than a file of ours. */
export async function markIn(files: Platform["files"], busy: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await files.readBytes(busy, MAX_MARK_BYTES));
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

export function fateOfMark({ environment }: Pick<TurnPlatform, "environment">, mark: string | undefined): "alive" | "gone" | "unknown" {
  const identity = identityIn(mark);
  return identity === undefined ? "unknown" : environment.fateOf(identity);
}

/** Undefined for what another version wrote. */
function identityIn(mark: string | undefined): ProcessIdentity | undefined {
  const parsed = mark === undefined ? undefined : parseJson(mark, { maxBytes: MAX_MARK_BYTES, maxDepth: 2 });
  if (parsed?.ok !== true || !isJsonObject(parsed.value.value)) return undefined;
  const { pid, startedAt, machine, scope } = parsed.value.value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  if (typeof startedAt !== "string" || typeof machine !== "string" || typeof scope !== "string") return undefined;
  return { pid, startedAt, machine, scope };
}

function holderText({ environment }: TurnPlatform, mark: string | undefined): string {
  const identity = identityIn(mark);
  if (identity === undefined) return "a process that does not say which it is";
  const { pid, machine, scope } = identity;
  return scope === environment.self.scope ? `process ${pid}` : `process ${pid} of machine ${JSON.stringify(machine)}`;
}
