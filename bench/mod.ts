/** Every claimed number, one file each. */

import { coldStart } from "./cold-start.ts";
import { dispatchWasm } from "./dispatch-wasm.ts";
import { eventLoop } from "./event-loop.ts";
import { fresh16mb } from "./fresh-16mb.ts";
import { fresh2kb } from "./fresh-2kb.ts";
import { fresh4mb } from "./fresh-4mb.ts";
import { guardCpu } from "./guard-cpu.ts";
import { guardCpuTracked } from "./guard-cpu-tracked.ts";
import type { Bench } from "./measure.ts";
import { naive2kb } from "./naive-2kb.ts";
import { reload } from "./reload.ts";
import { runaway } from "./runaway.ts";

export const BENCHES: readonly Bench[] = [
  fresh2kb,
  fresh4mb,
  fresh16mb,
  guardCpu,
  guardCpuTracked,
  naive2kb,
  dispatchWasm,
  runaway,
  eventLoop,
  reload,
  coldStart,
];
