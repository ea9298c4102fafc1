/** Small labels of a state. The text says what the colour says. */

import type { ComponentChildren, VNode } from "preact";

export type Tone = "good" | "bad" | "wait" | "info" | "none";

export function Badge({ tone = "none", children }: { readonly tone?: Tone; readonly children: ComponentChildren }): VNode {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const TONES: ReadonlyMap<string, Tone> = new Map<string, Tone>([
  ...["completed", "success", "loaded", "allowed", "connected", "approved", "granted", "created"].map((state): [string, Tone] => [
    state,
    "good",
  ]),
  ...["failed", "denied", "error", "unavailable", "timeout", "invalid", "deleted", "execute"].map((state): [string, Tone] => [
    state,
    "bad",
  ]),
  ...["waiting", "stale", "quarantined", "asks", "pending_approval", "modified", "write", "network"].map((state): [string, Tone] => [
    state,
    "wait",
  ]),
  ...["running", "connecting", "renamed", "read"].map((state): [string, Tone] => [state, "info"]),
]);

/** Returns the colour of a state's name. */
export function toneOf(state: string): Tone {
  return TONES.get(state) ?? "none";
}

/** State of a call, plugin or server, with a dot. */
export function StateBadge({ state, text = state }: { readonly state: string; readonly text?: string }): VNode {
  return (
    <span class={`state ${toneOf(state)}`}>
      <span class="dot" aria-hidden="true" />
      {text}
    </span>
  );
}
