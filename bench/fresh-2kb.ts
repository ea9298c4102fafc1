/** `fresh_2kb`: restore and call, against a warm call of the same plugin on the same engine. */

import { plainCopy } from "../sandbox/image.ts";
import { loadInThread } from "../test/support/in-thread.ts";
import { type Bench, interleave } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";

const ARGS = { a: 1, b: "x" };

export const fresh2kb: Bench = {
  id: "fresh_2kb",
  what: "fresh-state call ÷ warm call, 2 KB plugin, in the worker's thread",
  target: { atMost: 2 },
  async run() {
    const fresh = await loadInThread(PLUGIN_2KB, plainCopy);
    const warm = await loadInThread(PLUGIN_2KB, plainCopy);
    const times = await interleave({
      warm: () => warm.call("echo", ARGS),
      fresh: () => {
        plainCopy.restore(fresh.instance, fresh.image, fresh.image);
        return fresh.call("echo", ARGS);
      },
    });
    return { id: "fresh_2kb", value: times.fresh * 1000, unit: "us", baseline: times.warm * 1000, ratio: times.fresh / times.warm };
  },
};
