/** Parts of the permission map: a decision as a sign and as words, and a resource. */

import type { VNode } from "preact";
import type { MapCell, MapResource } from "../../../host/doors/views.ts";

/** How a decision is shown. The sign says what the colour says. */
export const LOOKS = {
  granted: { sign: "✓", text: "granted", tone: "good" },
  asks: { sign: "?", text: "granted, and each call is confirmed", tone: "info" },
  prompt: { sign: "○", text: "requested, not granted", tone: "wait" },
  denied: { sign: "✕", text: "denied", tone: "bad" },
} as const;

export function Sign({ cell }: { readonly cell: MapCell }): VNode {
  const { sign, tone } = lookOf(cell);
  return (
    <span class={`map-sign ${tone}`} aria-hidden="true">
      {sign}
      {cell.used > 0 && <span class="map-used" />}
    </span>
  );
}

export function Resource({ of: resource }: { readonly of: MapResource }): VNode {
  return (
    <span class="map-resource">
      <span class="kind">{resource.kind}</span>
      <code>{nameOf(resource)}</code>
    </span>
  );
}

export function lookOf({ state, asks }: MapCell): (typeof LOOKS)[keyof typeof LOOKS] {
  return state === "granted" && asks ? LOOKS.asks : LOOKS[state];
}

export function nameOf({ kind, text }: MapResource): string {
  return text === "" ? `every ${kind === "net" ? "host" : kind === "env" ? "variable" : "path"}` : text;
}

export function cellText(cell: MapCell, resource: MapResource): string {
  const used = cell.used === 0 ? "" : `, used ${cell.used} times in the last week`;
  return `${cell.plugin}: ${resource.kind} ${nameOf(resource)} ${lookOf(cell).text}${used}`;
}
