/** Cost of a rewritten engine for CPU-bound guest code; shared by the `guard_*` rows. */

import { plainCopy } from "../sandbox/image/plain-copy.ts";
import { rewriteEngine, type RewriteOptions } from "../sandbox/wasm/rewrite.ts";
import { engineBytes, type InThreadPlugin, loadInThread } from "../test/support/in-thread.ts";
import { CPU_PROGRAMS, CPU_SOURCE } from "./cpu-programs.ts";
import { compareBatches, type Measured } from "./measure.ts";

/** Geometric mean over the programs of time on the rewritten engine ÷ time on the published engine. */
export async function rewrittenAgainstPublished(options: RewriteOptions): Promise<Measured> {
  const module = new WebAssembly.Module(rewriteEngine(engineBytes, options));
  const rewritten = await loadInThread(CPU_SOURCE, plainCopy, { module, budgetMs: 60_000 });
  const published = await loadInThread(CPU_SOURCE, plainCopy, { budgetMs: 60_000 });
  warmUp([rewritten, published]);
  const ratios = new Map<string, number>();
  let rewrittenMs = 0;
  let publishedMs = 0;
  for (const name of CPU_PROGRAMS) {
    const wanted = published.call(name);
    const run = (plugin: InThreadPlugin) => (): void => {
      const answer = plugin.call(name);
      if (answer !== wanted || !ANSWER.test(answer))
        throw new Error(`"${name}" answers ${answer.slice(0, 200)} instead of ${wanted.slice(0, 200)}`);
    };
    const times = compareBatches({ published: run(published), rewritten: run(rewritten) }, { rounds: 61, batchMs: 4, warmMs: 50 });
    ratios.set(name, times.ratio("rewritten", "published"));
    rewrittenMs += times.medianMs("rewritten");
    publishedMs += times.medianMs("published");
  }
  const ratio = Math.exp([...ratios.values()].reduce((sum, one) => sum + Math.log(one), 0) / ratios.size);
  const note = [...ratios].map(([name, one]) => `${name} ${one.toFixed(2)}`).join(", ");
  return { value: rewrittenMs, unit: "ms", baseline: publishedMs, ratio, note };
}

/**
 * Warms up both engines: V8 compiles the interpreter's main loop, one function of 100 KB, in the background, which takes a while
 * on a busy machine.
 */
function warmUp(plugins: readonly InThreadPlugin[]): void {
  const begin = performance.now();
  while (performance.now() - begin < WARM_MS) {
    for (const plugin of plugins) for (const name of CPU_PROGRAMS) plugin.call(name);
  }
}

const WARM_MS = 2_500;

/** Every program returns a number. */
const ANSWER = /\{"o":\d+\}/;
