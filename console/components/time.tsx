/** Times and durations as a reader compares them. */

import { type Signal, signal } from "@preact/signals";
import type { VNode } from "preact";
import { agoText } from "../../host/primitives/ago.ts";

/** The current time, advanced every 10 seconds for relative times. */
const now: Signal<number> = signal(Date.now());
setInterval(() => (now.value = Date.now()), 10_000);

/** A time as a distance from now; the title has the full time. */
export function Ago({ time }: { readonly time: number }): VNode {
  const date = new Date(time);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {agoText(now.value - time)}
    </time>
  );
}

/** The rest of the time until then. */
export function Until({ time }: { readonly time: number }): VNode {
  const rest = time - now.value;
  const text = rest <= 0 ? "expired" : rest < 60_000 ? "less than 1 min left" : `${Math.floor(rest / 60_000)} min left`;
  return (
    <time dateTime={new Date(time).toISOString()} title={new Date(time).toLocaleString()}>
      {text}
    </time>
  );
}

export function Clock({ time }: { readonly time: number }): VNode {
  const date = new Date(time);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {date.toLocaleTimeString(undefined, { hour12: false })}
    </time>
  );
}

/** Returns a text such as `0.4 ms`, `12 ms`, `1.3 s` or `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** Returns a text such as `12 bytes`, `3.4 KB` or `1.0 MiB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
