/** Icons of the set Lucide, drawn as SVG elements. They are decoration: a control that shows only an icon has a name of its own. */

import type { IconNode } from "lucide";
import { h, type VNode } from "preact";

export type { IconNode };

export function Icon({ of: parts, size = 16 }: { readonly of: IconNode; readonly size?: number }): VNode {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {parts.map(([tag, attributes], index) => h(tag, { ...attributes, key: index }))}
    </svg>
  );
}
