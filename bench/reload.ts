/** `reload`: milliseconds from the last write of a 2 KB plugin to the first call of its new version. */

import { setTimeout as wait } from "node:timers/promises";
import { createHost } from "../host/mod.ts";
import { type Bench, type Measured, median } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";
import { temporaryPlugins } from "./plugin-folder.ts";

const ROUNDS = 21;
const GIVE_UP_MS = 10_000;

export const reload: Bench = {
  id: "reload",
  async run(): Promise<Measured> {
    await using project = await temporaryPlugins();
    const source = (version: number): string => PLUGIN_2KB.replace("return args;", `return ${version};`);
    await project.write("echo", source(0));
    await using host = await createHost({ plugins: `${project.path}/plugins`, workspace: project.path, config: false, watch: true });
    const samples: number[] = [];
    for (let version = 1; version <= ROUNDS; version++) {
      await project.write("echo", source(version));
      const begin = performance.now();
      for (;;) {
        const result = await host.call("echo_echo", {});
        if (result.ok && result.output === version) break;
        if (performance.now() - begin > GIVE_UP_MS) throw new Error(`Version ${version} was not served within ${GIVE_UP_MS} ms`);
        await wait(1);
      }
      samples.push(performance.now() - begin);
    }
    return { value: median(samples), unit: "ms", baseline: null, ratio: null, note: `slowest ${Math.round(Math.max(...samples))} ms` };
  },
};
