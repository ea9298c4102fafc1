/** Capabilities: what guests and host tools can do besides computing. Every act is checked against the grant. */

import type { HostAnswer, HostOperation, Room } from "../../sandbox/mod.ts";
import { failure } from "./answer.ts";
import { metered } from "./metered.ts";
import type { Bridge, BridgeContext, OperationHandler } from "./bridge.ts";
import { dataBridge } from "./data/data.ts";
import { envBridge } from "./env.ts";
import { fileFailure } from "./files/file-failure.ts";
import { fileBridge } from "./files/file.ts";
import { fsBridge } from "./files/fs.ts";
import { netBridge } from "./network/net.ts";
import { packed } from "./files/packed.ts";
import { permissionsBridge } from "./permissions.ts";
import { toolsBridge } from "./tools.ts";
import { treeBridge } from "./files/tree.ts";
import { workspaceBridge } from "./files/workspace.ts";

export { type Acts, createActs, createFileLimiter } from "./acts.ts";
export type { Bridge, BridgeContext, CapabilityAct, OperationHandler } from "./bridge.ts";
export {
  checkUrl,
  toNetQuery,
  checkPath,
  pathIn,
  type Denial,
  type PathAccess,
  type PathAllowed,
  type PathCheck,
  type PathDenied,
} from "./checked.ts";
export { createExchanges, type Exchanges } from "./network/net-exchanges.ts";
export { grantHint, type RefusalContext, refusalMessage } from "./refusal.ts";
export { checkRequired, type RequiredCheck, type RequiredContext, resolvePlace } from "./required.ts";
export { checkServers } from "./run/servers.ts";
export { checkUngranted } from "./ungranted.ts";
export { createOpenFiles, type OpenFiles } from "./files/open-files.ts";
export type { OpenToolCalls, ToolCalls } from "./tool-calls.ts";
export { createToolCaller } from "./tools.ts";
export { createRunProgram } from "./run/run.ts";
export { createWorkspaceFiles } from "./files/workspace.ts";

/** All capabilities. A new one needs its file and a line here. */
export const BRIDGES: readonly Bridge[] = [
  ...[fsBridge, fileBridge, workspaceBridge, treeBridge, dataBridge],
  ...[netBridge, envBridge, permissionsBridge, toolsBridge],
];

const OPERATIONS: ReadonlyMap<string, OperationHandler> = new Map(BRIDGES.flatMap((bridge) => Object.entries(bridge.operations)));

/**
 * Answers one operation of one call, with any name and arguments.
 *
 * @returns an error for unknown names, arguments of another shape, payloads above `limits.operationBytes` each way, and everything that is
 *   refused; rejects only for bugs in the host
 */
export async function answerOperation(operation: HostOperation, context: BridgeContext): Promise<HostAnswer> {
  const handler = OPERATIONS.get(operation.name);
  if (handler === undefined) return failure("NotSupported", `Unknown operation ${JSON.stringify(operation.name.slice(0, 100))}`);
  const { operationBytes } = context.limits;
  if ((operation.bytes?.length ?? 0) > operationBytes) return tooLarge("The payload", operation.name, operationBytes);

  const answered = await metered(handler, operation, context);
  const { room = hasRoom } = operation;
  const packing = answered.ok ? packed(answered, { ...context, room: (bytes) => room(bytes, context.signal) }) : undefined;
  if (packing !== undefined) {
    const crossing = await packing;
    if (crossing === "too_large") return tooLarge("The answer", operation.name, operationBytes);
    return crossing === "over" ? fileFailure("interrupted", operation.name) : crossing;
  }
  const size = answered.ok ? (answered.bytes?.length ?? 0) + textSize(answered.value) : 0;
  return size > operationBytes ? tooLarge("The answer", operation.name, operationBytes) : answered;
}

const hasRoom: Room = () => Promise.resolve(true);

function tooLarge(what: string, name: string, operationBytes: number): HostAnswer {
  return failure("RangeError", `${what} of "${name}" is larger than ${operationBytes} bytes, the limit of one host operation`);
}

/** Estimates the size from below, in UTF-16 units; good enough for a bound. */
function textSize(value: unknown): number {
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null ? JSON.stringify(value).length : 0;
}
