/** `guard_cpu`: what counting loops costs. */

import { rewrittenAgainstPublished } from "./guard.ts";
import type { Bench } from "./measure.ts";

export const guardCpu: Bench = {
  id: "guard_cpu",
  what: "metered engine ÷ unmodified engine, CPU-bound guest code",
  target: { atMost: 1.1 },
  run: () => rewrittenAgainstPublished("guard_cpu", { barrier: false, meter: true }),
};
