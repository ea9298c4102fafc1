/** The request that starts one call in a worker. */

import type { JsonSchema, Limits } from "../../../manifests/mod.ts";
import type { ClockEnvironment } from "./call-clock.ts";
import type { LogEnvironment } from "./call-log.ts";
import type { OperationsEnvironment } from "./call-operations.ts";
import type { CallState } from "../../wire/resting-call.ts";
import type { Instance } from "../../engine/instance.ts";
import type { CallWords } from "../../guest/call/protocol.ts";
import type { Image } from "../../engine/image.ts";
import type { ModuleTable } from "../../loading/modules.ts";
import type { OpenConditions } from "../tape/call-conditions.ts";
import type { FiberEnvironment } from "../fiber.ts";
import type { Instances } from "../instances.ts";
import type { RestingCalls } from "../resting-calls.ts";

/** The parts of its worker that a run needs. */
export interface RunEnvironment extends ClockEnvironment, LogEnvironment, OperationsEnvironment, FiberEnvironment {
  /** Milliseconds since the epoch. */
  epoch(): number;
  after(delayMs: number, task: () => void): () => void;
  /** Sends the messages that wait to be sent in one batch. */
  flush(): void;
  /** Gives the call's guest an instance, again after each wait. */
  readonly instances: FiberEnvironment["instances"] & Pick<Instances, "rest">;
  /** Offers waiting calls to other workers. */
  readonly resting: Pick<RestingCalls, "rests" | "takeUp">;
}

export interface RunRequest {
  readonly number: number;
  readonly digest: string;
  readonly words: CallWords;
  readonly limits: Limits;
  readonly outputSchema: JsonSchema | undefined;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Module table for dynamic imports. */
  readonly modules: ModuleTable;
  /** Time and randomness of the call; undefined if they are the machine's. */
  readonly conditions: OpenConditions | undefined;
  /** Captures the state that the call leaves. Set if the plugin keeps its state. */
  readonly capture?: (instance: Instance) => Image;
  /** State of a call that began in another worker. */
  readonly from?: CallState;
}
