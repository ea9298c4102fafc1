/** What puts guests back: one interface, two ways, the same bytes. */

import type { Instance } from "../engine/instance.ts";
import type { BaseImage, Image } from "./image.ts";
import type { PageRun } from "./page-runs.ts";

/** Puts instances back to images. Every implementation leaves byte-identical memory and passes `test/attack/state/`. */
export interface Restorer {
  readonly base: BaseImage;
  /** Copies a guest at rest. The instance stays usable. */
  capture(instance: Instance): Image;
  /** Makes `instance` hold exactly `image`, whatever it held before. */
  restore(instance: Instance, image: Image): void;
  /** The pages that may differ from the image it was last restored to, ascending; what a run's end reaches over into may too. */
  changed(instance: Instance): readonly PageRun[];
}
