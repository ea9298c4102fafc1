/** Applies `visible` to all text of the page, in one place. */

import { options, type VNode } from "preact";
import { visible } from "./visible.ts";

/** Attributes that are shown or read aloud. The value of a field stays as it is, because it is sent. */
const SHOWN_ATTRIBUTES = ["title", "aria-label", "aria-valuetext", "placeholder"] as const;

/** Makes every text that Preact renders visible, so that no component can forget it. */
export function renderVisibly(): void {
  const before = options.vnode;
  options.vnode = (node) => {
    before?.(node);
    showAll(node);
  };
}

/** The node of a text has no type, and the text in place of its properties. */
function showAll(node: Omit<VNode, "type" | "props"> & { readonly type: unknown; props: unknown }): void {
  const { type, props } = node;
  if (typeof props === "string") {
    node.props = visible(props);
    return;
  }
  if (typeof type !== "string" || !isRecord(props)) return;
  for (const name of SHOWN_ATTRIBUTES) {
    const text = props[name];
    if (typeof text === "string") props[name] = visible(text);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
