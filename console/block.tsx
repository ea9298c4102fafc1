/** Text of any length, as it is: it scrolls, so the keyboard must reach it. */

import type { VNode } from "preact";
import type { Json } from "./types.ts";

/** `value` is JSON, but for a text, which is shown without quotes. */
export function Block({ label, value }: { readonly label: string; readonly value: Json }): VNode {
  return (
    <pre tabIndex={0} role="region" aria-label={label}>
      {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
    </pre>
  );
}
