/**
 * Items of `run` (SPEC PA2): programs by path or by name, as Deno has them.
 *
 * Names are looked up nowhere here: an allowed name is that name alone, and a denial takes in whatever the name could be.
 */

import { foldName } from "./fold-name.ts";
import { normalizePath, pathSegments, startsWith, toPathPattern } from "./permission-path.ts";
import type { PermissionBases } from "./permissions.ts";

/** True for a program written as a path; anything else is looked up by the system. */
export function namesPath(program: string): boolean {
  return program.includes("/");
}

/** Does an allowed item cover a program (a bare name or an absolute path)? A path is that file alone. */
export function runAllows(item: string, bases: PermissionBases): (program: string) => boolean {
  const wanted = namesPath(item) ? toPath(item, bases) : item;
  return (program) => program === wanted;
}

/**
 * Does a denied item cover a program? A name denies every file of that name, whatever its case and ending. A path denies
 * what is below it, in every spelling, and all bare names, since any of them may be found there.
 */
export function runDenies(item: string, bases: PermissionBases): (program: string) => boolean {
  if (!namesPath(item)) return (program) => hasStem(pathSegments(program).at(-1) ?? "", item);
  const path = toPath(item, bases);
  if (path === undefined) return () => true;
  const below = pathSegments(path).map(foldName);
  return (program) => !namesPath(program) || startsWith(pathSegments(program).map(foldName), below);
}

function toPath(item: string, bases: PermissionBases): string | undefined {
  const pattern = toPathPattern(item, bases);
  return pattern && normalizePath(`/${pattern.prefix.join("/")}`, bases.base);
}

/** `deno` is the stem of `deno`, `Deno.exe` and `deno.old.exe`. */
function hasStem(file: string, name: string): boolean {
  const [lower, wanted] = [file.toLowerCase(), name.toLowerCase()];
  return lower === wanted || lower.startsWith(`${wanted}.`);
}
