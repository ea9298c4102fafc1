/**
 * The overlay of a dry run: a platform for one call's bridges, in which files change in memory only, and requests that could change
 * something elsewhere are held back (SPEC E8).
 *
 * Bridges and checks are the same as for other calls; only the platform differs.
 */

import { hashOf } from "../../primitives/json/json-hash.ts";
import { type JsonValue, relativeBelow } from "../../../manifests/mod.ts";
import type { ToolErrorData } from "../../call/errors.ts";
import type { Platform } from "../../platform/platform.ts";
import { type Change, createChangeLog } from "./change-log.ts";
import type { Diff } from "./diff-by.ts";
import { effectsOf } from "./effects.ts";
import { holdNetwork } from "./held-network.ts";
import { createOverlayFiles } from "./overlay-files.ts";
import { type OverlayLimits, OverlayTree } from "./overlay-tree.ts";
import type { DryRunReport } from "../../call/dry-run-report.ts";
import { unifiedDiff } from "./unified-diff.ts";

export interface OverlayOptions {
  readonly platform: Platform;
  /** `nothing` is for a preview, which runs before the user has confirmed. */
  readonly sends: "asking" | "nothing";
  readonly limits?: OverlayLimits;
  /** Default: computed on this thread. */
  readonly diff?: Diff;
}

/** The platform of one dry run, and its changes. */
export interface Overlay {
  /** Replaces the host's platform for the call. */
  readonly platform: Platform;
  readonly tree: OverlayTree;
  readonly changes: readonly Change[];
  /** The bound that the run exceeded, if any. */
  readonly exceeded: ToolErrorData | undefined;
  /** @param workspace paths are shown relative to it */
  report(workspace: string, succeeded: boolean): Promise<DryRunReport>;
}

/** A report is sent to clients in one message. */
const MAX_CHANGES = 1_000;

export function createOverlay({ platform, sends, limits, diff = unifiedDiff }: OverlayOptions): Overlay {
  const { guarded, clock, environment } = platform;
  const tree = new OverlayTree({ below: guarded, os: environment.os, now: clock.now, ...(limits && { limits }) });
  const log = createChangeLog();
  const { network, held } = holdNetwork(platform.network, sends);
  return {
    platform: { ...platform, guarded: createOverlayFiles(tree, log.add, platform.files), network },
    tree,
    changes: log.changes,
    get exceeded() {
      return tree.exceeded;
    },
    async report(workspace, succeeded) {
      const changes = await effectsOf(tree, (path) => relativeBelow(path, workspace) ?? path, diff);
      const { requests, more } = held;
      // The value is plain JSON; its interfaces only lack an index signature.
      const hash = await hashOf({ changes, held: requests, more } as unknown as JsonValue);
      const unlisted = changes.length - MAX_CHANGES;
      return {
        changes: changes.slice(0, MAX_CHANGES),
        ...(unlisted > 0 && { moreChanges: unlisted }),
        held: [...requests],
        ...(more > 0 && { moreHeld: more }),
        hash,
        canCommit: succeeded && requests.length === 0,
      };
    },
  };
}
