/**
 * The world of a dry run: the platform that the bridges of one call are given, in which files change in memory only and
 * nothing is sent that could change something elsewhere (SPEC E8).
 *
 * The bridges and their checks are those of any other call; they meet another platform.
 */

import { hashOf } from "../../primitives/json/json-hash.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
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
  /** `nothing` is for what runs before anybody agreed to anything. */
  readonly sends: "asking" | "nothing";
  readonly limits?: OverlayLimits;
  /** Default: on this thread. */
  readonly diff?: Diff;
}

/** One dry run's world, and what happened in it. */
export interface Overlay {
  /** What the call is given in place of the host's own. */
  readonly platform: Platform;
  readonly tree: OverlayTree;
  readonly changes: readonly Change[];
  /** Why the run came to its end: it needed more room than there is. */
  readonly exceeded: ToolErrorData | undefined;
  /** @param workspace what paths are shown relative to. */
  report(workspace: string, succeeded: boolean): Promise<DryRunReport>;
}

/** A report crosses to clients in one message. */
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
      const changes = await effectsOf(tree, (path) => relative(path, workspace), diff);
      const { requests, more } = held;
      // Plain JSON; the interfaces just have no index signature.
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

function relative(path: string, folder: string): string {
  const inside = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(inside) ? path.slice(inside.length) : path;
}
