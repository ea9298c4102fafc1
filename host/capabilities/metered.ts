/**
 * Runs an operation once it has a slot, and counts its bytes both ways. Bytes above a quota are neither written nor returned (SPEC D9).
 * Nothing runs after the end of the call (SPEC T3).
 */

import type { HostAnswer, HostOperation } from "../../sandbox/mod.ts";
import { failure } from "./answer.ts";
import type { BridgeContext, OperationHandler } from "./bridge.ts";

/** Contents travel as bytes beside the arguments, so their length is what was read or written. */
export async function metered(handler: OperationHandler, operation: HostOperation, context: BridgeContext): Promise<HostAnswer> {
  const end = await context.acts.begin(operation);
  if (end === undefined) return failure("AbortError", "The call was cancelled, or has ended");
  try {
    return await count(handler, operation, context);
  } finally {
    end();
  }
}

async function count(handler: OperationHandler, { args, bytes, room }: HostOperation, context: BridgeContext): Promise<HostAnswer> {
  const { meter } = context;
  const written = bytes === undefined ? meter.excess : meter.spend("bytesWritten", bytes.length);
  if (written !== undefined) return failure("RangeError", written.message);
  const answered = await handler(args, bytes, context, room);
  const read = answered.ok && answered.bytes !== undefined ? meter.spend("bytesRead", answered.bytes.length) : undefined;
  return read === undefined ? answered : failure("RangeError", read.message);
}
