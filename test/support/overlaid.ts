/** A call on an overlay over the files of another call. */

import { applyChanges, type Applied } from "../../host/effects/overlay/apply.ts";
import { createOverlay, type Overlay } from "../../host/effects/overlay/overlay.ts";
import type { OverlayLimits } from "../../host/effects/overlay/overlay-tree.ts";
import { answerOperation, createOpenFiles } from "../../host/capabilities/mod.ts";
import type { TestCall } from "./bridge-context.ts";

export interface OverlaidCall {
  readonly overlay: Overlay;
  readonly answer: TestCall["answer"];
  /** Commits the changes. @param under context with the call's current permissions */
  commit(under?: TestCall["context"]): Promise<Applied>;
}

export function overlaid({ context }: TestCall, limits?: OverlayLimits): OverlaidCall {
  const { platform } = context;
  const overlay = createOverlay({ platform, sends: "asking", ...(limits && { limits }) });
  const dry = { ...context, platform: overlay.platform, openFiles: createOpenFiles("call-1") };
  return {
    overlay,
    answer: (name, args, bytes) => answerOperation({ name, args, ...(bytes && { bytes }) }, dry),
    commit: (under = context) =>
      applyChanges({
        tree: overlay.tree,
        changes: overlay.changes,
        files: platform.guarded,
        random: platform.random,
        context: under,
        record: context.record,
      }),
  };
}
