/** Places that no plugin may write, because what lies there is run. */

import type { Snapshot } from "../snapshot.ts";

/** Where the plugins that serve really are, and the files of the project's own tools. */
export function sourcesIn(snapshot: Snapshot): readonly string[] {
  const known = FOLDERS.get(snapshot);
  if (known !== undefined) return known;
  const folders = new Set<string>();
  for (const { binding, plugin } of snapshot.tools) {
    if (binding.kind !== "plugin") continue;
    const { directory, files } = binding.version;
    for (const path of plugin === undefined ? [...files.keys()].map((file) => `${directory}/${file}`) : [directory]) folders.add(path);
  }
  const list = [...folders];
  FOLDERS.set(snapshot, list);
  return list;
}

/** A snapshot never changes, and is asked at every act on a file. */
const FOLDERS: WeakMap<Snapshot, readonly string[]> = new WeakMap();
