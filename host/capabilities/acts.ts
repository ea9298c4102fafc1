/** The operations of one call: those under way, those that wait for their turn, and the end of all of them (SPEC T3, LV3). */

import type { JsonValue } from "../../manifests/mod.ts";
import { isJsonObject } from "../../manifests/mod.ts";
import { claimOf, type GiveBack, type HolderShares, Shares } from "../../sandbox/mod.ts";
import type { Clock } from "../platform/platform.ts";

export interface Acts {
  /** Aborted when the call is cancelled, and when it ends. */
  readonly signal: AbortSignal;
  /** Waits for the operation's turn. What it answers is called when the operation has ended; undefined: the call has, and nothing is done. */
  begin(operation: ActName): Promise<GiveBack | undefined>;
  /**
   * The call has ended: operations that wait are dropped, those under way are waited for, `END_WITHIN_MS` at most.
   *
   * @returns what goes on nevertheless
   */
  end(): Promise<readonly string[]>;
}

/** An operation as it is named to people. */
export interface ActName {
  readonly name: string;
  readonly args: JsonValue;
}

export interface ActsOptions {
  readonly callId: string;
  /** Whose turns they take: the plugin. */
  readonly plugin: string | undefined;
  /** Who calls: the session's owner, or the session. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, "after">;
  /** Absent: nothing waits. */
  readonly fileLanes?: Shares;
}

/** File operations of all plugins that are under way at once. The rest waits, so that nobody's files wait behind thousands. */
const FILE_LANES = 8;
/** One that works on a disk that hangs holds no more of the runtime's threads. */
const SHARES: HolderShares = { plugin: 4, caller: 6, callerOfPlugin: 4 };

/** How long the end of a call waits for what it began: only a disk that hangs takes longer. */
export const END_WITHIN_MS = 5_000;

const LONGEST_PATH_SHOWN = 256;
/** What the file operations of all calls of a host share. */
export function createFileLanes(): Shares {
  return new Shares(FILE_LANES);
}

export function createActs({ callId, plugin, owner, signal, clock, fileLanes }: ActsOptions): Acts {
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
      // Steps of a chain are ended, and waited for, by the chain.
      if (operation.name.startsWith("tools.")) return nothing;
      const leave = fileLanes === undefined || !isOfFiles(operation.name) ? nothing : await fileLanes.take(claim, over.signal);
      if (leave === undefined) return undefined;
      // The call may have ended in the very moment in which its turn came.
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
