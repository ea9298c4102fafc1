/** Shared by the harness of a cluster's soak and its members. */

import type { ClusterCall } from "../../host/cluster/accepted-call.ts";
import type { KeyList } from "../../host/cluster/link.ts";

export const DIGEST: string = "c".repeat(64);
export const ONCE = "soak.once";
/** A tool that may run again. */
export const MAY_REPEAT = "soak.repeat";

export interface MemberSettings {
  readonly server: string;
  readonly name: string;
  readonly seed: string;
  readonly keys: { readonly members: KeyList; readonly callers: KeyList };
  /** Address of the service that counts effects. */
  readonly effects: string;
}

/** The effect: the service counts it by the call's id. */
export async function doWork({ callId, args, signal }: ClusterCall, effects: string): Promise<Uint8Array> {
  const { waitMs = 0 } = args as { readonly waitMs?: number };
  const answer = await fetch(`${effects}/${callId}`, { method: "POST", signal });
  await answer.arrayBuffer();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  return new TextEncoder().encode(JSON.stringify({ ok: true, output: callId }));
}
