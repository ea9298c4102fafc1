/** `guard_cpu_tracked`: cost of loop counting and page marking together, as guests run. */

import { METERED_ENGINE } from "../sandbox/pool/engine-build.ts";
import { rewrittenAgainstPublished } from "./guard.ts";
import type { Bench } from "./measure.ts";

export const guardCpuTracked: Bench = { id: "guard_cpu_tracked", run: () => rewrittenAgainstPublished(METERED_ENGINE) };
