/** The user's acts on one plugin. Each runs in its folder's lane, in order with the changes that are noticed there. */

import type { Clock } from "../../platform/platform.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import { pathOf, type Place } from "./discover.ts";
import type { PluginImages } from "./images.ts";
import type { KeyedQueue } from "../../primitives/keyed-queue.ts";
import type { Publication, Replacing } from "./publication.ts";
import { type PluginRecord, reasonOf, toStatus } from "./record.ts";
import type { KeptVersion, PluginStatus } from "./status.ts";

/** Acts on one plugin folder, by its path in its root. */
export interface PluginActs {
  /** Returns the version that serves from there. */
  serving(path: string): PluginVersion | undefined;
  /** Reads the folder again, even if it is unchanged, and returns the new status. */
  retake(path: string): Promise<PluginStatus | undefined>;
  /**
   * Serves a kept version in place of the folder's.
   * @returns why it does not load, if it does not
   */
  replace(path: string, kept: KeptVersion, why: Replacing): Promise<string | undefined>;
  /** Takes the plugin out of service, waits a while for its running calls, then runs `act` before anything is loaded from there. */
  withdraw(path: string, act: () => Promise<void>): Promise<void>;
}

interface PluginActsOptions {
  readonly records: ReadonlyMap<string, PluginRecord>;
  readonly publication: Publication;
  readonly images: Pick<PluginImages, "gone">;
  readonly queue: KeyedQueue;
  readonly clock: Clock;
  readonly take: (place: Place) => Promise<unknown>;
  /** Retries other folders whose obstacle may be gone. */
  readonly settleOthers: () => void;
}

/** Longer calls continue from bytes of their own; only their folder's files are gone. */
const DRAIN_MS = 5_000;

export function createPluginActs(options: PluginActsOptions): PluginActs {
  const { records, publication, images, queue, clock, take, settleOthers } = options;

  function inQueue<T>(path: string, act: (record: PluginRecord) => Promise<T>): Promise<T | undefined> {
    const record = records.get(path);
    if (record === undefined) return Promise.resolve(undefined);
    return queue.run(pathOf(record.place), async () => (records.get(path) === record ? await act(record) : undefined));
  }

  return {
    serving: (path) => records.get(path)?.serving,
    async retake(path) {
      await inQueue(path, (record) => take(record.place));
      const record = records.get(path);
      return record && toStatus(record);
    },
    replace: (path, kept, why) =>
      inQueue(path, async (record) => {
        const failure = await publication.replace(record, kept, why);
        settleOthers();
        return failure && (reasonOf(failure) ?? failure.error.message);
      }),
    async withdraw(path, act) {
      await inQueue(path, async (record) => {
        const digest = record.serving?.digest;
        await publication.advance(record, { kind: "gone", signature: "gone" });
        if (digest !== undefined) await within(DRAIN_MS, images.gone(digest), clock);
        await act();
        settleOthers();
      });
    },
  };
}

async function within(ms: number, done: Promise<void>, clock: Clock): Promise<void> {
  let cancel: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (cancel = clock.after(ms, resolve)));
  await Promise.race([done, over]);
  cancel();
}
