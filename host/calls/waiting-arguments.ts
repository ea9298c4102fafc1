/** What calls that have not begun hold of large arguments: a share of each owner (SPEC LV3). */

import type { JsonValue } from "../../manifests/mod.ts";
import { type GiveBack, Shares } from "../../sandbox/mod.ts";
import type { ToolCall } from "../call.ts";
import { sizeOf } from "../json/known-size.ts";
import { sessionOwner } from "./session.ts";

const MIB = 1024 * 1024;
/** As many calls as may wait in a session, each with as much as it may have by default. Arguments up to 64 KB count nothing. */
export const WAITING_ARGUMENTS: { readonly whole: number; readonly owner: number; readonly least: number } = Object.freeze({
  whole: 256 * MIB,
  owner: 64 * MIB,
  least: 16 * MIB,
});

export function createWaitingArguments(): Shares {
  return new Shares(WAITING_ARGUMENTS.whole, WAITING_ARGUMENTS.least);
}

/** Counts a call's arguments until it begins, or ends. Undefined if its owner's calls hold too much. */
export function keepWaiting(args: JsonValue, { session, callId }: ToolCall, shares: Shares): GiveBack | undefined {
  const size = sizeOf(args)?.bytes;
  if (size === undefined) return nothing;
  const party = `owner ${sessionOwner(session)}`;
  return shares.takeNow({ size, party, line: callId, within: [[party, WAITING_ARGUMENTS.owner]] });
}

function nothing(): void {}
