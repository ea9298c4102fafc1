/** Names that tools may not read or write without a grant: `policy.protected` of `bascule.json` (SPEC G2, C2). */

import { checkPathItem } from "./permission-path.ts";
import type { Permissions } from "./permissions.ts";

/** Conventional names of files with keys and passwords, and the host's own files. */
export const DEFAULT_PROTECTED: readonly string[] = Object.freeze([
  ".env",
  ".env.local",
  ".env.*.local",
  ".env.development",
  ".env.production",
  ".env.staging",
  ".env.test",
  ".envrc",
  ".bascule",
  ".aws",
  ".git-credentials",
  ".gnupg",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".ssh",
]);

const ANYWHERE = "$workspace/**/";

/** Returns why `name` cannot be protected; undefined if it can. The name may contain `*` and `?`. */
export function checkProtectedName(name: string): string | undefined {
  if (name.includes("/") || name === "**" || name === "." || name === "..")
    return '"protected" takes names, which apply in every folder; write a name such as ".env" or "*.pem", and paths into a layer\'s "permissions"';
  return checkPathItem(`${ANYWHERE}${name}`);
}

/** Denies each name and its contents in every folder of the workspace. */
export function protectNames(names: readonly string[]): Permissions {
  const deny = names.map((name) => `${ANYWHERE}${name}`);
  return { read: { deny }, write: { deny } };
}
