/** Fast notice of changes: maps the platform watcher's file paths to places of plugins. */

import { relativeBelow } from "../../../manifests/mod.ts";
import { errorText } from "../../platform/error-text.ts";
import { createMutex } from "../../platform/mutex.ts";
import type { Watcher } from "../../platform/platform.ts";
import type { Place } from "./discover.ts";

/** The folders to watch. */
interface WatchTargets {
  /** Plugin roots, with their positions, and the real folders that are watched for them. */
  readonly roots: ReadonlyMap<string, { readonly rootIndex: number; readonly realPath: string }>;
  /** Real folders outside the roots that are targets of links in the roots, and the places of those links. */
  readonly linked: ReadonlyMap<string, Place>;
}

interface FolderWatch {
  /**
   * Watches exactly these from now on.
   *
   * @param fresh watched folders that were replaced by another folder, so their watch is reopened: a watch stays with the folder it was
   *   opened on
   */
  retarget(targets: WatchTargets, fresh?: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
}

/** @param onTrouble called at most once, if changes may be noticed late */
export function createFolderWatch(watcher: Watcher, onTouched: (place: Place) => void, onTrouble: (why: string) => void): FolderWatch {
  const open = new Map<string, { close(): Promise<void> }>();
  let linked: WatchTargets["linked"] = new Map();
  let isInTrouble = false;
  // Changes run one after the other, so that each ends with its own targets.
  const inTurn = createMutex();

  function trouble(error: unknown): void {
    if (isInTrouble) return;
    isInTrouble = true;
    onTrouble(errorText(error));
  }

  async function openWatch(path: string, realPath: string, onChange: (path: string) => void): Promise<void> {
    try {
      open.set(path, await watcher.watch([realPath], onChange, trouble));
    } catch (error) {
      trouble(error);
    }
  }

  async function closeWatch(path: string): Promise<void> {
    const watch = open.get(path);
    open.delete(path);
    try {
      await watch?.close();
    } catch (error) {
      trouble(error);
    }
  }

  async function change(targets: WatchTargets, fresh: ReadonlySet<string>): Promise<void> {
    linked = targets.linked;
    const wanted = new Set([...targets.roots.keys(), ...linked.keys()]);
    for (const path of [...open.keys()]) if (!wanted.has(path) || fresh.has(path)) await closeWatch(path);
    for (const [root, { rootIndex, realPath }] of targets.roots) {
      if (open.has(root)) continue;
      await openWatch(root, realPath, (path) => {
        const folder = folderIn(realPath, path);
        if (folder !== undefined) onTouched({ root, rootIndex, folder });
      });
    }
    for (const target of linked.keys()) {
      if (open.has(target)) continue;
      await openWatch(target, target, () => {
        const place = linked.get(target);
        if (place !== undefined) onTouched(place);
      });
    }
  }

  return {
    retarget: (targets, fresh = new Set()) => inTurn(() => change(targets, fresh)),
    close: () =>
      inTurn(async () => {
        for (const path of [...open.keys()]) await closeWatch(path);
      }),
  };
}

/** Returns the direct child of the folder that contains `path`. Accepts both separators, because names contain neither. */
function folderIn(parent: string, path: string): string | undefined {
  return relativeBelow(path.replaceAll("\\", "/"), parent)?.split("/")[0];
}
