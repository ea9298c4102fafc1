/** The request that begins one call in a worker. */

import type { JsonSchema, Limits } from "../../manifests/mod.ts";
import type { ClockEnvironment } from "./call-clock.ts";
import type { LogEnvironment } from "./call-log.ts";
import type { OperationsEnvironment } from "./call-operations.ts";
import type { CallState } from "./resting-call.ts";
import type { Instance } from "../engine/instance.ts";
import type { CallWords } from "../guest/protocol.ts";
import type { Image } from "../image/image.ts";
import type { ModuleTable } from "../loading/modules.ts";
import type { World } from "../tape/call-world.ts";
import type { FiberEnvironment } from "../worker/fiber.ts";
import type { Instances } from "../worker/instances.ts";
import type { RestingCalls } from "../worker/resting-calls.ts";

/** The parts of its worker that a run needs. */
export interface RunEnvironment extends ClockEnvironment, LogEnvironment, OperationsEnvironment, FiberEnvironment {
  /** Milliseconds since the epoch. */
  epoch(): number;
  after(delayMs: number, task: () => void): () => void;
  /** Posts what waits to be posted together with more. */
  flush(): void;
  /** Where the call's guest has its instance, or gets one again after it waited. */
  readonly instances: FiberEnvironment["instances"] & Pick<Instances, "rest">;
  /** Where calls that wait can be had by other workers. */
  readonly resting: Pick<RestingCalls, "rests" | "takeUp">;
}

export interface RunRequest {
  readonly number: number;
  readonly digest: string;
  readonly words: CallWords;
  readonly limits: Limits;
  readonly outputSchema: JsonSchema | undefined;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** For dynamic imports. */
  readonly modules: ModuleTable;
  /** Undefined: the machine's. */
  readonly world: World | undefined;
  /** Set where the plugin keeps its state: captures what the call leaves. */
  readonly capture?: (instance: Instance) => Image;
  /** Where the call stood that began in another worker. */
  readonly from?: CallState;
}
