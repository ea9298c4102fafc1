/** Which folders only this user can write to: code that a later start runs lies nowhere else. */

import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";

const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;
const OTHERS_WRITE = GROUP_WRITES | ALL_WRITE;
/** In such a folder users can only rename and delete what they own. */
const STICKY = 0o1000;

/**
 * Returns why another user could write to an existing folder, or put another one in its place; undefined if only this user can.
 *
 * Above the folder, the user's own group counts as the user: many systems give each user a group.
 */
export function writableByOthers(folder: string): string | undefined {
  const user = process.getuid?.();
  // Windows keeps the folders of users apart by other means.
  if (user === undefined) return undefined;
  if (lstatSync(folder).uid !== user) return `"${folder}" belongs to another user`;
  return writableOnWay(folder, user) ?? writableOnWay(realpathSync(folder), user);
}

function writableOnWay(folder: string, user: number): string | undefined {
  // The system's own user: root, also where a container shows root as another number.
  const system = statSync("/").uid;
  for (let path = folder; ; path = dirname(path)) {
    const info = statSync(path);
    const isOpenHere = path === folder ? (info.mode & OTHERS_WRITE) !== 0 : (info.mode & STICKY) === 0 && isOpen(info);
    if (isOpenHere) return `other users can write to "${path}"`;
    // Its owner can put another folder in the place of the next one, and set its mode at any time.
    if (info.uid !== user && info.uid !== 0 && info.uid !== system) return `"${path}" belongs to another user`;
    if (dirname(path) === path) return undefined;
  }
}

/** Whether users other than the owner and the own group can write. */
export function isOpen({ mode, gid }: Stats): boolean {
  return (mode & ALL_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && gid !== process.getgid?.());
}
