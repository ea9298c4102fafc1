/** Reads of many plain files for plugins, on a service thread of their own (SPEC AX3, LV2). */

import { READ_PLAIN } from "../capabilities/files/read-plain-task.ts";
import type { Clock } from "../platform/platform.ts";
import type { Service } from "../primitives/service/service.ts";
import type { RouteOptions } from "./route-options.ts";

/** A thread that waits for a disk answers nothing. After this time its files are read in the usual way, which a deadline ends. */
const PATIENCE_MS = 2_000;

export function createPlainReads(service: Pick<Service, "run">, clock: Pick<Clock, "after">): NonNullable<RouteOptions["readPlain"]> {
  let waiting = 0;
  return async (owner, paths, limits) => {
    const nothing = paths.map(() => undefined);
    if (waiting > 0) return nothing;
    const patience = Promise.withResolvers<undefined>();
    const stop = clock.after(PATIENCE_MS, () => patience.resolve(undefined));
    const reading = service.run(READ_PLAIN, { paths, ...limits }, { owner }).then(
      (read) => read,
      // The thread ended, or too much waits for it.
      () => undefined,
    );
    const read = await Promise.race([reading, patience.promise]);
    stop();
    if (read === undefined) {
      waiting++;
      void reading.finally(() => waiting--);
      return nothing;
    }
    let at = 0;
    return read.lengths.map((length) => {
      if (length < 0) return undefined;
      at += length;
      return read.bytes.subarray(at - length, at);
    });
  };
}
