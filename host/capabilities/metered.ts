/**
 * Does an operation in its turn, and counts the bytes that it carries, both ways: what a quota does not cover is not done, or not
 * handed over (SPEC D9). Nothing is done for a call that has ended (SPEC T3).
 */

import type { HostAnswer, HostOperation } from "../../sandbox/mod.ts";
import { failure } from "./answer.ts";
import type { BridgeContext, OperationHandler } from "./bridge.ts";

/** Contents cross as bytes beside the arguments, so these are what was read and written. */
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
