/**
 * Runs untrusted code in QuickJS compiled to WebAssembly.
 *
 * Terms, each with the file to read first:
 * - A guest is the plugin code that runs in QuickJS. All its state is linear memory and one stack pointer. An instance
 *   (`engine/instance.ts`) is a running copy of the engine with a memory.
 * - An image (`engine/image.ts`) is the saved memory of a loaded plugin. A worker loads a plugin once and then starts every call from the
 *   same image.
 * - A restore (`image/restorer.ts`) resets an instance to an image after each call, so that no state survives the call. `wasm/barrier.ts`
 *   marks the pages a call writes, so that a restore copies only these.
 * - The meter (`wasm/meter.ts`) counts fuel in loops and bulk operations. When the fuel is used up, the engine calls the host, which
 *   checks the deadline (`engine/fuel.ts`).
 * - The wire (`wire/protocol.ts`, `wire/wire.ts`, `wire/slot.ts`) is the messages between the host's thread and its workers, in
 *   shared memory or by `postMessage`.
 *
 * The sandbox does not know the host, its policy, the disk or the network.
 */

export type { Codec, CompressionFormat, Decompressed } from "./worker/operations/codec.ts";
export { type EngineBuild, engineInForce } from "./pool/engine-build.ts";
export type { ExhaustedLimit, Fault, GuestToolError, LoadFault, LoadWarning } from "./wire/fault.ts";
export type { HostAnswer, HostCallHandler, HostOperation, OperationError, Room } from "./wire/host-call.ts";
export type {
  Freezing,
  Invocation,
  InvocationOutcome,
  InvocationOutput,
  InvocationUsed,
  LoadOutcome,
  OutputPart,
  PluginSource,
} from "./wire/invocation.ts";
export { MAXIMUM_STATE_BYTES } from "./wire/told-state.ts";
export { LARGE_BYTES } from "./wire/marshal.ts";
export { droppedText, LOG_LINE_BYTES } from "./wire/log-lines.ts";
export { createProcessSandbox } from "./process/process-sandbox.ts";
export type { ProcessConnection, ProcessLauncher, ProcessPowers } from "./process/port.ts";
export { serveProcess } from "./process/serve.ts";
export type { SandboxUse } from "./pool/use.ts";
export { createTurns } from "./pool/turns.ts";
export { type Claim, claimOf, type GiveBack, type Holder, type HolderShares, Shares } from "./pool/shares.ts";
export type { Sandbox, SandboxOptions } from "./pool/sandbox.ts";
export type { WarmWorkers } from "./pool/worker-set.ts";
export { createSandbox } from "./pool/sandbox.ts";
export { createSharedSandbox, type SharedSandbox } from "./pool/shared-sandbox.ts";
export { findOwn, ownPath } from "./wire/plugin-files.ts";
export type { LegacyDecoders } from "./worker/operations/local-answer.ts";
export type { Digest, DigestName, HeldKey, Subtle, SubtleMethod, Supports } from "./worker/operations/subtle.ts";
export type { WorkerConnection, WorkerInit, WorkerLauncher } from "./wire/port.ts";
export { ABORT, type CallConditions, type CryptoAnswer, isTape, isTime, type KeptTape, type Tape, TIMERS } from "./wire/tape.ts";
export type { Observed } from "./wire/observed.ts";
export { isFault } from "./wire/messages.ts";
export { InFlight } from "./wire/in-flight.ts";
export { LOG_TEXT_LENGTH, nextNumber } from "./wire/protocol.ts";
export { pooledRandom } from "./worker/pooled-random.ts";
export { adviceOnReference, packageOfUrl } from "./loading/advice.ts";
export { type FoundImport, type FoundImports, findImports } from "./loading/find-imports.ts";
export { readImportMap } from "./loading/import-map.ts";
export type { ModuleTarget } from "./loading/modules.ts";
export { createModuleResolver, createStackReader, nodeModuleNames } from "./loading/modules.ts";
