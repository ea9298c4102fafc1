/** All peers: one file and one line each. The first is the baseline. */

import { bascule } from "./bascule.ts";
import { basculeThread } from "./bascule-thread.ts";
import { denoRun } from "./deno-run.ts";
import { denoWorker } from "./deno-worker.ts";
import { extism } from "./extism.ts";
import { isolatedVmIsolate } from "./isolated-vm-isolate.ts";
import { isolatedVm } from "./isolated-vm.ts";
import { mcpStdio } from "./mcp-stdio.ts";
import { nodeVm } from "./node-vm.ts";
import type { Peer } from "./peer.ts";
import { quickjsEmscripten } from "./quickjs-emscripten.ts";
import { quickjsWasi } from "./quickjs-wasi.ts";
import { sebastianwesselQuickjs } from "./sebastianwessel-quickjs.ts";
import { ses } from "./ses.ts";

export const PEERS: readonly Peer[] = [
  bascule,
  basculeThread,
  ses,
  extism,
  nodeVm,
  isolatedVm,
  isolatedVmIsolate,
  quickjsEmscripten,
  quickjsWasi,
  sebastianwesselQuickjs,
  denoWorker,
  denoRun,
  mcpStdio,
];
