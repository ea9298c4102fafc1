/**
 * Runs untrusted code in QuickJS compiled to WebAssembly.
 *
 * Terms, each with the file to read first:
 * - A guest is the plugin code that runs in QuickJS. All its state is linear memory and one stack pointer. An instance
 *   (`engine/instance.ts`) is a running copy of the engine with a memory.
 * - An image (`image/image.ts`) is the saved memory of a loaded plugin. A worker loads a plugin once and then starts every call from the
 *   same image.
 * - A restore (`image/restorer.ts`) resets an instance to an image after each call, so that no state survives the call. `wasm/barrier.ts`
 *   marks the pages a call writes, so that a restore copies only these.
 * - The meter (`wasm/meter.ts`) counts fuel in loops and bulk operations. When the fuel is used up, the engine calls the host, which
 *   checks the deadline (`engine/fuel.ts`).
 * - The wire (`worker/protocol.ts`, `worker/wire.ts`, `worker/slot.ts`) is the messages between the host's thread and its workers, in
 *   shared memory or by `postMessage`.
 *
 * The sandbox does not know the host, its policy, the disk or the network.
 */

export type { Codec, CompressionFormat, Decompressed } from "./operations/codec.ts";
export { type EngineBuild, engineInForce } from "./engine/engine-build.ts";
export type { ExhaustedLimit, Fault, GuestToolError, LoadFault } from "./fault.ts";
export type { HostAnswer, HostCallHandler, HostOperation, OperationError, Room } from "./host-call.ts";
export type {
  Invocation,
  InvocationOutcome,
  InvocationOutput,
  InvocationUsed,
  LoadOutcome,
  OutputPart,
  PluginSource,
} from "./invocation.ts";
export { MAXIMUM_STATE_BYTES } from "./told-state.ts";
export { LARGE_BYTES } from "./marshal.ts";
export { droppedText, LOG_LINE_BYTES } from "./log-lines.ts";
export { createProcessSandbox } from "./process/process-sandbox.ts";
export type { ProcessConnection, ProcessLauncher, ProcessPowers } from "./process/port.ts";
export { serveProcess } from "./process/serve.ts";
export type { SandboxUse } from "./pool/use.ts";
export { createTurns } from "./pool/turns.ts";
export { type Claim, claimOf, type GiveBack, type Holder, type HolderShares, Shares } from "./call/shares.ts";
export type { Sandbox, SandboxOptions } from "./sandbox.ts";
export { createSandbox } from "./sandbox.ts";
export { findOwn, ownPath } from "./plugin-files.ts";
export type { LegacyDecoders } from "./operations/local-answer.ts";
export type { Digest, DigestName, HeldKey, Subtle, SubtleMethod, Supports } from "./operations/subtle.ts";
export type { WorkerConnection, WorkerInit, WorkerLauncher } from "./worker/port.ts";
export { ABORT, type CallWorld, type CryptoAnswer, isTape, isTime, type KeptTape, type Tape, TIMERS } from "./tape/tape.ts";
export { isFault } from "./worker/messages.ts";
export { InFlight } from "./pool/in-flight.ts";
export { LOG_TEXT_LENGTH, nextNumber } from "./worker/protocol.ts";
export { pooledRandom } from "./worker/pooled-random.ts";
export { adviceOnReference } from "./loading/advice.ts";
export { readImportMap } from "./loading/import-map.ts";
export type { ModuleTarget } from "./loading/modules.ts";
export { createModuleResolver, createStackReader, nodeModuleNames } from "./loading/modules.ts";
