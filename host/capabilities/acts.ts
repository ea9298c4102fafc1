/** Tracks the operations of one call: running ones, those that wait for a slot, and the end of all of them (SPEC T3, LV3). */

import type { JsonValue } from "../../manifests/mod.ts";
import { isJsonObject } from "../../manifests/mod.ts";
import { claimOf, type GiveBack, type HolderShares, Shares } from "../../sandbox/mod.ts";
import type { Clock } from "../platform/platform.ts";

export interface Acts {
  /** Aborted when the call is cancelled, and when it ends. */
  readonly signal: AbortSignal;
  /** Waits for a slot. Returns a function to call when the operation ends, or undefined if the call has ended; then nothing may be done. */
  begin(operation: ActName): Promise<GiveBack | undefined>;
  /**
   * Ends the call: drops waiting operations, and waits up to `END_WITHIN_MS` for running ones.
   *
   * @returns the operations that are still running
   */
  end(): Promise<readonly string[]>;
}

/** Name and arguments of an operation, for messages. */
interface ActName {
  readonly name: string;
  readonly args: JsonValue;
}

interface ActsOptions {
  readonly callId: string;
  /** The plugin whose share of the slots the operations take. */
  readonly plugin: string | undefined;
  /** The caller: the session's owner, or the session. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, "after">;
  /** If absent, no operation waits. */
  readonly fileLimiter?: Shares;
}

/**
 * File operations of all plugins that run at the same time. The rest wait, so that one plugin's files do not wait behind thousands of
 * another's.
 */
const FILE_LANES = 8;
/** Limits the runtime's threads that one holder on a hanging disk can occupy. */
const SHARES: HolderShares = { plugin: 4, caller: 6, callerOfPlugin: 4 };

/** Longest wait for running operations at the end of a call; only a hanging disk takes longer. */
export const END_WITHIN_MS = 5_000;

const LONGEST_PATH_SHOWN = 256;
/** Creates the slots that the file operations of all calls of a host share. */
export function createFileLimiter(): Shares {
  return new Shares(FILE_LANES);
}

export function createActs({ callId, plugin, owner, signal, clock, fileLimiter }: ActsOptions): Acts {
  const over = new AbortController();
  const underWay = new Set<ActName>();
  let onLast: () => void = () => undefined;
  const cancel = (): void => over.abort(signal.reason);
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });

  const claim = claimOf({ caller: owner, ...(plugin !== undefined && { owner: plugin }) }, callId, SHARES);

  return {
    signal: over.signal,

    async begin(operation) {
      if (over.signal.aborted) return undefined;
      // The chain ends its own steps and waits for them.
      if (operation.name.startsWith("tools.")) return nothing;
      const leave = fileLimiter === undefined || !isOfFiles(operation.name) ? nothing : await fileLimiter.take(claim, over.signal);
      if (leave === undefined) return undefined;
      // The call may have ended at the moment when the slot became free.
      if (over.signal.aborted) return (leave(), undefined);
      underWay.add(operation);
      return () => {
        leave();
        if (underWay.delete(operation) && underWay.size === 0) onLast();
      };
    },

    async end() {
      signal.removeEventListener("abort", cancel);
      over.abort();
      if (underWay.size === 0) return [];
      await new Promise<void>((resolve) => {
        const stopTimer = clock.after(END_WITHIN_MS, resolve);
        onLast = () => {
          stopTimer();
          resolve();
        };
      });
      return Array.from(underWay, describe);
    },
  };
}

function isOfFiles(name: string): boolean {
  return name.startsWith("fs.") || name.startsWith("file.") || name.startsWith("workspace.");
}

function describe({ name, args }: ActName): string {
  const path = isJsonObject(args) ? args["path"] : undefined;
  return typeof path === "string" ? `${name} ${JSON.stringify(path.slice(0, LONGEST_PATH_SHOWN))}` : name;
}

function nothing(): void {}
