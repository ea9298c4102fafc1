/** The restorer interface: resets an instance to an image. Plain copy and tracked restore leave the same bytes. */

import type { Instance } from "../engine/instance.ts";
import type { BaseImage, Image } from "../engine/image.ts";
import type { PageRun } from "./page-runs.ts";

/** Restores instances to images. Every implementation leaves byte-identical memory and passes `test/attack/state/`. */
export interface Restorer {
  readonly base: BaseImage;
  /** Captures a guest at rest. The instance stays usable. */
  capture(instance: Instance): Image;
  /** Makes `instance` hold exactly `image`, regardless of what it held before. */
  restore(instance: Instance, image: Image): void;
  /** Returns the pages that may differ from the last restored image, ascending. The overhang after each run may differ too. */
  changed(instance: Instance): readonly PageRun[];
}
