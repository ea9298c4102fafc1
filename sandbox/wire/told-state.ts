/** A session's state, as a worker reports it after a call (SPEC B2). */

import type { Image } from "../engine/image.ts";

/** Maximum size of a state. If a call leaves a larger one, its outcome reports it and the session's next call starts with fresh state. */
export const MAXIMUM_STATE_BYTES: number = 32 * 1024 * 1024;

/** The state that a call left, as a worker reports it: the image, or only its size if it is too large. */
export interface ToldState {
  readonly state?: Image;
  readonly droppedStateBytes?: number;
}

export function toldState(image: Image): ToldState {
  const bytes = image.pages.byteLength;
  return bytes > MAXIMUM_STATE_BYTES ? { droppedStateBytes: bytes } : { state: image };
}
