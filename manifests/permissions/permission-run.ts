/**
 * Items of `run` (SPEC PA2): programs by path or by name, as in Deno.
 *
 * Names are never looked up: an allowed name matches that name only, and a denied name matches every program that it could be.
 */

import { foldName } from "../text/fold-name.ts";
import { normalizePath, pathSegments, startsWith, toPathPattern } from "./permission-path.ts";
import type { PermissionBases } from "./permissions.ts";

/** Returns true for a program written as a path; the system looks up any other. */
export function namesPath(program: string): boolean {
  return program.includes("/");
}

/** Returns a test whether an allowed item covers a program (a bare name or an absolute path). A path covers that file only. */
export function runAllows(item: string, bases: PermissionBases): (program: string) => boolean {
  const wanted = namesPath(item) ? toPath(item, bases) : item;
  return (program) => program === wanted;
}

/**
 * Returns a test whether a denied item covers a program. A name denies every file of that name, whatever its case and extension.
 * A path denies its contents, in every spelling, and all bare names, because any of them may be found there.
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
