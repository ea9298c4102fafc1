/** Block of text of any length. It scrolls, so it is focusable by keyboard. */

import type { VNode } from "preact";
import type { Json } from "../data/types.ts";

/** Shows `value` as JSON; a string is shown without quotes. */
export function Block({ label, value }: { readonly label: string; readonly value: Json }): VNode {
  return (
    <pre tabIndex={0} role="region" aria-label={label}>
      {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
    </pre>
  );
}
