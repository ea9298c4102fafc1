/** Resolves where a change of a call happens: links are followed, dangling links too (SPEC E8). */

import { hostPlace } from "../../capabilities/checked.ts";
import { above } from "../overlay/replace-file.ts";
import { MAX_LINKS } from "../../platform/files/link-limit.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import type { FileInfo, Files, GuardedFiles } from "../../platform/platform.ts";
import type { CheckedPath } from "../../platform/proof.ts";

type Checked = CheckedPath<"read" | "write">;

/** Looks at paths before a change. */
export interface UndoPlaces {
  /** Returns undefined if the path does not exist or is outside of the grant, so that there is nothing to keep. */
  placeOf(checked: Checked, follow: boolean): Promise<string | undefined>;
  /** Returns the missing folders of a path, topmost first. */
  missingFolders(checked: Checked): Promise<readonly string[]>;
  /** Returns undefined if nothing is there, or it cannot be looked at. */
  infoOf(place: string): Promise<FileInfo | undefined>;
}

export function createUndoPlaces(below: GuardedFiles, files: Pick<Files, "realPath" | "permitsPlace">): UndoPlaces {
  function infoOf(place: string): Promise<FileInfo | undefined> {
    return orUndefined(below.lstat(hostPlace(place)));
  }

  async function placeOf(checked: Checked, follow: boolean): Promise<string | undefined> {
    const place = follow ? await endOfLinks(checked) : await entryOf(checked.path);
    if (place === undefined || !(await files.permitsPlace(checked, place))) return undefined;
    return !follow && checked.isRoot?.(place) === true && (await isNoFile(place)) ? undefined : place;
  }

  /** Returns the path that a write opens or creates. A dangling link is followed to its target. */
  async function endOfLinks(checked: Checked): Promise<string | undefined> {
    let { path } = checked;
    for (let links = 0; links < MAX_LINKS; links += 1) {
      const real = await orUndefined(files.realPath(path));
      if (real !== undefined) return real;
      const place = await entryOf(path);
      // Links outside of the grant are not read.
      if (place === undefined || !(await files.permitsPlace(checked, place))) return undefined;
      if ((await infoOf(place))?.kind !== "symlink") return place;
      const target = await orUndefined(below.readLink(hostPlace(place)));
      if (target === undefined) return undefined;
      path = resolved(above(place), target);
    }
    return undefined;
  }

  async function entryOf(path: string): Promise<string | undefined> {
    const folder = await orUndefined(files.realPath(above(path)));
    return folder && join(folder, path.slice(path.lastIndexOf("/") + 1));
  }

  /** The granted folder itself cannot be removed, moved or replaced. */
  async function isNoFile(place: string): Promise<boolean> {
    const info = await infoOf(place);
    return info !== undefined && info.kind !== "file";
  }

  async function missingFolders(checked: Checked): Promise<readonly string[]> {
    const names: string[] = [];
    let at = checked.path;
    for (; at !== "/" && (await orUndefined(files.realPath(at))) === undefined; at = above(at)) names.unshift(at.slice(above(at).length));
    let place = (await orUndefined(files.realPath(at))) ?? at;
    const missing: string[] = [];
    // The name is taken by a dangling link: nothing is created there.
    if (names[0] !== undefined && (await infoOf(join(place, names[0].replace(/^\//, "")))) !== undefined) return missing;
    for (const name of names) {
      place = join(place, name.replace(/^\//, ""));
      if (!(await files.permitsPlace(checked, place))) break;
      missing.push(place);
    }
    return missing;
  }

  return { placeOf, missingFolders, infoOf };
}

export function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** Resolves by text alone, as a write through a dangling link does. */
function resolved(folder: string, target: string): string {
  const names: string[] = [];
  for (const name of `${target.startsWith("/") ? "" : folder}/${target}`.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}
