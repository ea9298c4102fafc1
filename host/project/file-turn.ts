/** A lock between processes that change the same file, so that no change is lost (SPEC H7). */

import { isJsonObject, parseJson } from "../../manifests/mod.ts";
import type { ProcessIdentity } from "../platform/environment-types.ts";
import { orUndefined } from "../platform/or-undefined.ts";
import { FileError, type Platform } from "../platform/platform.ts";

/** Parts of the platform that a lock needs. */
export type TurnPlatform = Pick<Platform, "files" | "clock" | "random" | "log"> & {
  readonly environment: Pick<Platform["environment"], "self" | "fateOf">;
};

/** A lock whose process cannot be looked up, for example on another machine, is stale after this time. */
const STALE_MS = 10_000;
/** Total wait, however often the lock changes hands. */
const MAX_WAIT_MS = 60_000;
/** Wait after which a warning is logged. */
const SAY_AFTER_MS = 1_000;
const POLL_MS = 15;
const MAX_TRIES = 5;
const MAX_MARK_BYTES = 1_024;

/** Another process considered the lock stale and took it. */
class TurnLost extends Error {}

/**
 * Runs `work` while no other process holds the same `busy` file. Values read before `work` may be outdated, so `work` reads again. The lock
 * of a killed process ends with the process.
 *
 * @param busy absolute path; exists while a process holds the lock, and names that process.
 * @param work must call `check` right before it writes. It is run again if the lock was lost, so it changes nothing until then.
 * @param staleMs how long the work can take, at most 50 s: an older lock is stale if its process cannot be looked up.
 * @throws {FileError} `busy` if the lock is not free in time; other errors if the file cannot be created.
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
      if (tries === MAX_TRIES) throw new FileError("busy", `Another process took "${busy}" ${MAX_TRIES} times`);
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
  // Keeps the process alive: a command may do nothing but wait here.
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
  // Removes the takeover mark of a process that was killed during a takeover.
  const over = overOf(busy);
  if (fateOfMark(platform, await markIn(files, over)) === "gone") await files.remove(over);
}

/**
 * Releases the lock of a dead process. Only one process at a time re-checks and removes the file; otherwise one could remove the lock that
 * another has taken meanwhile.
 *
 * @returns true if it is worth trying again at once
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

/** Exists while a process takes over the lock of a dead one. */
function overOf(busy: string): string {
  return `${busy}.over`;
}

/** Identifies the process that holds a lock; every lock has a unique mark. */
export function markOf({ random, environment }: Pick<TurnPlatform, "random" | "environment">): string {
  const { pid, startedAt, machine, scope } = environment.self;
  return JSON.stringify({ turn: random.uuidv7(), pid, startedAt, machine, scope });
}

/** Reads the mark; undefined if the file is missing or not a mark. */
export async function markIn(files: Platform["files"], busy: string): Promise<string | undefined> {
  const bytes = await orUndefined(files.readBytes(busy, MAX_MARK_BYTES));
  return bytes && new TextDecoder().decode(bytes);
}

export function fateOfMark({ environment }: Pick<TurnPlatform, "environment">, mark: string | undefined): "alive" | "gone" | "unknown" {
  const identity = identityIn(mark);
  return identity === undefined ? "unknown" : environment.fateOf(identity);
}

/** Undefined for a mark of another version. */
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
  if (identity === undefined) return "an unknown process";
  const { pid, machine, scope } = identity;
  return scope === environment.self.scope ? `process ${pid}` : `process ${pid} of machine ${JSON.stringify(machine)}`;
}
