/** `naive_2kb`: what other hosts do (new runtime, eval, call) against our fresh call. */

import { getQuickJS } from "quickjs-emscripten";
import { trackedRestore } from "../sandbox/tracked-restore.ts";
import { loadInThread, meteredModule } from "../test/support/in-thread.ts";
import { type Bench, interleave } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";

const ARGS = { a: 1, b: "x" };

export const naive2kb: Bench = {
  id: "naive_2kb",
  what: "new runtime + eval + call ÷ our fresh call, 2 KB plugin",
  target: { atLeast: 40 },
  async run() {
    const quickjs = await getQuickJS();
    const script = `${PLUGIN_2KB.replaceAll("export ", "")}\nJSON.stringify(echo(${JSON.stringify(ARGS)}))`;
    const ours = await loadInThread(PLUGIN_2KB, trackedRestore, { module: meteredModule });
    const times = await interleave(
      {
        fresh: () => {
          trackedRestore.restore(ours.instance, ours.image, ours.image);
          return ours.call("echo", ARGS);
        },
        naive: () => {
          const context = quickjs.newContext();
          const console = context.newObject();
          const log = context.newFunction("log", () => context.undefined);
          context.setProp(console, "log", log);
          context.setProp(context.global, "console", console);
          const output = context.unwrapResult(context.evalCode(script)).consume((value) => context.getString(value));
          log.dispose();
          console.dispose();
          context.dispose();
          return output;
        },
      },
      { rounds: 11, batchMs: 60 },
    );
    return { id: "naive_2kb", value: times.naive * 1000, unit: "us", baseline: times.fresh * 1000, ratio: times.naive / times.fresh };
  },
};
