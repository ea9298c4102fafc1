/** Bytes of large arguments that waiting calls hold: each owner has a share (SPEC LV3). */

import type { JsonValue } from "../../manifests/mod.ts";
import { type GiveBack, Shares } from "../../sandbox/mod.ts";
import type { ToolCall } from "../call/call.ts";
import { sizeOf } from "../primitives/json/known-size.ts";
import { sessionOwner } from "../call/session.ts";

const MIB = 1024 * 1024;
/** Room for the calls that may wait in a session, each with the default argument size. Arguments up to 64 KB are not counted. */
export const WAITING_ARGUMENTS: { readonly whole: number; readonly owner: number; readonly least: number } = Object.freeze({
  whole: 256 * MIB,
  owner: 64 * MIB,
  least: 16 * MIB,
});

/**
 * Keeps the counted bytes by call, so that dispatch needs no `finally` and no promise: a call with small arguments costs one map lookup.
 */
export class WaitingArguments {
  readonly #shares: Shares = new Shares(WAITING_ARGUMENTS.whole, WAITING_ARGUMENTS.least);
  readonly #held: Map<ToolCall, GiveBack> = new Map();

  /** Counts a call's arguments until `giveBack`. Returns false if the calls of its owner hold too much. */
  keep(args: JsonValue, call: ToolCall): boolean {
    const size = sizeOf(args)?.bytes;
    if (size === undefined) return true;
    const party = `owner ${sessionOwner(call.session)}`;
    const taken = this.#shares.takeNow({ size, party, line: call.callId, within: [[party, WAITING_ARGUMENTS.owner]] });
    if (taken !== undefined) this.#held.set(call, taken);
    return taken !== undefined;
  }

  /** Releases the bytes when the call starts or has ended. Idempotent. */
  giveBack(call: ToolCall): void {
    if (this.#held.size === 0) return;
    this.#held.get(call)?.();
    this.#held.delete(call);
  }
}
