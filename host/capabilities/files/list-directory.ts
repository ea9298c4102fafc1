/** Lists a folder for one operation: bounded while it is read, and only a few listings at a time (SPEC C4, B3). */

import { createMutex, type Mutex } from "../../platform/mutex.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import type { HostAnswer } from "../../../sandbox/mod.ts";
import type { DirectoryEntry } from "../../platform/platform.ts";
import { answer, failure } from "../answer.ts";
import type { BridgeContext } from "../bridge.ts";
import { actOn, isOver } from "./file-act.ts";
import { MANY_ENTRIES } from "./packed.ts";

/** A folder with more entries fails with an error; it is never truncated. */
export const MAX_DIRECTORY_ENTRIES = 100_000;

/** Listings of one call at a time; the next ones wait. Each may hold as much as an answer may. */
const MAX_LISTINGS = 4;

/** @param subject the act in Deno's form, for messages */
export async function listDirectory(
  written: string,
  subject: string,
  context: BridgeContext,
  toValue: (entry: DirectoryEntry) => JsonValue,
): Promise<HostAnswer> {
  const { operationBytes } = context.limits;
  const bounds = { maxEntries: MAX_DIRECTORY_ENTRIES, maxNamesLength: operationBytes, isOver: () => isOver(context) };
  const answered = await actOn({ access: "read", written }, subject, context, (checked) =>
    inTurn(context, async () => {
      const entries = await context.platform.guarded.list(checked, bounds);
      return answer(entries.length <= MANY_ENTRIES ? entries.map(toValue) : await context.platform.slices.run(mapped(entries, toValue)));
    }),
  );
  if (answered.ok || answered.error.code !== "EFBIG") return answered;
  const most = `${MAX_DIRECTORY_ENTRIES} entries, or ${operationBytes} bytes of them`;
  return failure("RangeError", `Cannot list "${written}": more than one operation can return (${most})`, "EFBIG");
}

function* mapped(entries: readonly DirectoryEntry[], toValue: (entry: DirectoryEntry) => JsonValue): Generator<void, JsonValue> {
  const values: JsonValue[] = [];
  for (const entry of entries) {
    values.push(toValue(entry));
    if (values.length % MANY_ENTRIES === 0) yield;
  }
  return values;
}

/** A call's listings, created at its first one. */
const LISTINGS = new WeakMap<BridgeContext, { count: number; readonly queues: Mutex[] }>();

/** Runs at most `MAX_LISTINGS` listings of a call at a time. */
function inTurn<T>(context: BridgeContext, act: () => Promise<T>): Promise<T> {
  const listings = LISTINGS.get(context) ?? { count: 0, queues: [] };
  LISTINGS.set(context, listings);
  const queue = (listings.queues[listings.count++ % MAX_LISTINGS] ??= createMutex());
  return queue(act);
}
