/**
 * Restores marked pages only, so a restore costs what the call touched and not what the plugin holds (decision 9). On an engine without a
 * write barrier it copies everything.
 */

import { type BaseImage, partsOf, partsOfBase } from "../engine/image.ts";
import { PAGE_BYTES } from "../engine/marks.ts";
import { markedRuns } from "./page-runs.ts";
import { plainCopy } from "./plain-copy.ts";
import type { Restorer } from "./restorer.ts";

export function trackedRestore(base: BaseImage): Restorer {
  const plain = plainCopy(base);
  return {
    base,
    capture: plain.capture,
    changed(instance) {
      const { shadow } = instance;
      return shadow === undefined ? plain.changed(instance) : markedRuns(shadow.marks, instance.bytes.length / PAGE_BYTES);
    },
    restore(instance, image) {
      const { shadow, holds } = instance;
      if (shadow === undefined) return plain.restore(instance, image);
      if (holds === undefined) {
        shadow.takeBase(partsOfBase(base));
        plain.restore(instance, image);
        return shadow.holdsExactly(partsOf(image));
      }
      instance.ensureBytes(image.heapEnd);
      if (holds !== image) shadow.replace(partsOf(image));
      shadow.restore();
      instance.adopt(image, base.handles);
    },
  };
}
