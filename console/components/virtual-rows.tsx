/** Rows of equal height, of which only those in view are elements of the page. */

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren, RefObject, VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";

const OVERSCAN = 12;

export function VirtualRows({
  count,
  rowHeight,
  frame,
  keep,
  show,
}: {
  readonly count: number;
  /** In pixels. */
  readonly rowHeight: number;
  /** Element that scrolls. */
  readonly frame: RefObject<HTMLElement | null>;
  /** Row that stays an element of the page, because it has the focus. */
  readonly keep: number | undefined;
  /** Shows a row at a distance from the top in pixels. */
  readonly show: (index: number, top: number) => ComponentChildren;
}): VNode {
  const [, redraw] = useState(0);
  const options = {
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw((round) => round + 1),
  };
  const virtualizer = useMemo(() => new Virtualizer<HTMLElement, HTMLElement>(options), []);
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);
  const items = virtualizer.getVirtualItems().map(({ index, start }) => ({ index, start }));
  if (keep !== undefined && keep < count && !items.some(({ index }) => index === keep))
    items.push({ index: keep, start: keep * rowHeight });
  return (
    <div class="virtual" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
      {items.map(({ index, start }) => show(index, start))}
    </div>
  );
}
