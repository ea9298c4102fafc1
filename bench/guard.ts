/** What a rewritten engine costs on CPU-bound guest code; shared by the `guard_*` rows. */

import { plainCopy } from "../sandbox/image.ts";
import { rewriteEngine, type RewriteOptions } from "../sandbox/wasm/rewrite.ts";
import { engineBytes, loadInThread } from "../test/support/in-thread.ts";
import { CPU_PROGRAMS, CPU_SOURCE } from "./cpu-programs.ts";
import { interleave, type Row } from "./measure.ts";

/** Geometric mean over the programs of time on the rewritten engine ÷ time on the published one. */
export async function rewrittenAgainstPublished(id: string, options: RewriteOptions): Promise<Row> {
  const module = new WebAssembly.Module(rewriteEngine(engineBytes, options));
  const rewritten = await loadInThread(CPU_SOURCE, plainCopy, { module, budgetMs: 60_000 });
  const published = await loadInThread(CPU_SOURCE, plainCopy, { budgetMs: 60_000 });
  const ratios: number[] = [];
  let rewrittenMs = 0;
  let publishedMs = 0;
  for (const name of CPU_PROGRAMS) {
    const times = await interleave(
      { published: () => published.call(name), rewritten: () => rewritten.call(name) },
      { rounds: 15, batchMs: 25, warmMs: 150 },
    );
    ratios.push(times.rewritten / times.published);
    rewrittenMs += times.rewritten;
    publishedMs += times.published;
  }
  const ratio = Math.exp(ratios.reduce((sum, value) => sum + Math.log(value), 0) / ratios.length);
  return { id, value: rewrittenMs, unit: "ms", baseline: publishedMs, ratio };
}
