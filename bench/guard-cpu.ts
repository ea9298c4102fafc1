/** `guard_cpu`: cost of loop counting. */

import { rewrittenAgainstPublished } from "./guard.ts";
import type { Bench } from "./measure.ts";

export const guardCpu: Bench = { id: "guard_cpu", run: () => rewrittenAgainstPublished({ barrier: false, meter: true }) };
