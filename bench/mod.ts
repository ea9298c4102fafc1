/** Every claimed number: one file each, a line here and one in `targets.ts`. */

import { bytes1mb } from "./bytes-1mb.ts";
import { cliAlone, cliCall, cliList } from "./cli-start.ts";
import { clusterCall } from "./cluster-call.ts";
import { coldStart } from "./cold-start.ts";
import { dispatchWasm } from "./dispatch-wasm.ts";
import { entry } from "./entry.ts";
import { eventLoop } from "./event-loop.ts";
import { freeze, frozen10000, resume } from "./frozen.ts";
import { fresh16mb } from "./fresh-16mb.ts";
import { fresh2kb } from "./fresh-2kb.ts";
import { fresh4mb } from "./fresh-4mb.ts";
import { freshSeen } from "./fresh-seen.ts";
import { guardCpu } from "./guard-cpu.ts";
import { guardCpuTracked } from "./guard-cpu-tracked.ts";
import { hostOp } from "./host-op.ts";
import { idlePlugin } from "./idle-plugin.ts";
import type { Bench } from "./measure.ts";
import { naive250kb } from "./naive-250kb.ts";
import { naive2kb } from "./naive-2kb.ts";
import { preemptCpu } from "./preempt-cpu.ts";
import { preemptWait } from "./preempt-wait.ts";
import { processIsolation } from "./process-isolation.ts";
import { randomOf1000 } from "./random-of-1000.ts";
import { reload } from "./reload.ts";
import { runaway } from "./runaway.ts";
import { throughput } from "./throughput.ts";

export const BENCHES: readonly Bench[] = [
  fresh2kb,
  fresh4mb,
  fresh16mb,
  freshSeen,
  naive2kb,
  naive250kb,
  randomOf1000,
  dispatchWasm,
  hostOp,
  bytes1mb,
  runaway,
  guardCpu,
  guardCpuTracked,
  idlePlugin,
  reload,
  coldStart,
  throughput,
  eventLoop,
  processIsolation,
  entry,
  preemptCpu,
  preemptWait,
  cliCall,
  cliList,
  cliAlone,
  freeze,
  resume,
  frozen10000,
  clusterCall,
];
