/** Fresh-state calls against warm ones, on the thread that runs them; shared by the `fresh_*` rows. */

import { plainCopy } from "../sandbox/image.ts";
import { trackedRestore } from "../sandbox/tracked-restore.ts";
import { loadInThread, meteredModule } from "../test/support/in-thread.ts";
import { interleave, type Row } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";

const ARGS = { a: 1, b: "x" };

/** Restore and call on the metered engine ÷ call only on the published one. */
export async function freshAgainstWarm(id: string, source: string): Promise<Row> {
  const fresh = await loadInThread(source, trackedRestore, { module: meteredModule });
  const warm = await loadInThread(source, plainCopy);
  const times = await interleave({
    warm: () => warm.call("echo", ARGS),
    fresh: () => {
      trackedRestore.restore(fresh.instance, fresh.image, fresh.image);
      return fresh.call("echo", ARGS);
    },
  });
  return { id, value: times.fresh * 1000, unit: "us", baseline: times.warm * 1000, ratio: times.fresh / times.warm };
}

/** The 2 KB plugin with so much more on its heap, in small objects as plugins have them. */
export function pluginOfMegabytes(megabytes: number): string {
  return `${PLUGIN_2KB}\nconst kept = Array.from({ length: ${Math.round((megabytes << 20) / BYTES_AN_ENTRY)} }, (_, id) => ({ id }));\nexport function size() { return kept.length; }`;
}

/** An object with one property and its place in an array, as this engine allocates them. */
const BYTES_AN_ENTRY = 96;
