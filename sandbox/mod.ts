/** Runs untrusted code in QuickJS compiled to WebAssembly. Knows no host, policy, disk or network. */

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
export { MAXIMUM_STATE_BYTES } from "./image/session-states.ts";
export { LARGE_BYTES } from "./marshal.ts";
export { droppedText, LOG_LINE_BYTES } from "./call/call-log.ts";
export { createProcessSandbox } from "./process/process-sandbox.ts";
export type { ProcessConnection, ProcessLauncher, ProcessPowers } from "./process/port.ts";
export { serveProcess } from "./process/serve.ts";
export type { SandboxUse } from "./pool/use.ts";
export { createTurns } from "./pool/turns.ts";
export { type Claim, claimOf, type GiveBack, type Holder, type HolderShares, Shares } from "./call/shares.ts";
export type { Sandbox, SandboxOptions } from "./sandbox.ts";
export { createSandbox } from "./sandbox.ts";
export { findOwn, ownPath } from "./operations/own-files.ts";
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
