/** `guard_cpu_tracked`: what counting loops and marking pages cost together, as guests run. */

import { METERED_ENGINE } from "../sandbox/pool/engine-build.ts";
import { rewrittenAgainstPublished } from "./guard.ts";
import type { Bench } from "./measure.ts";

export const guardCpuTracked: Bench = { id: "guard_cpu_tracked", run: () => rewrittenAgainstPublished(METERED_ENGINE) };
