/** Names that tools without a grant neither read nor write: `policy.protected` of `bascule.json` (SPEC G2, C2). */

import { checkPathItem } from "./permission-path.ts";
import type { Permissions } from "./permissions.ts";

/** Where keys and passwords lie by convention, and what a host of bascule keeps. */
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

/** Why `name` cannot be protected; undefined if it can. It may hold `*` and `?`. */
export function checkProtectedName(name: string): string | undefined {
  if (name.includes("/") || name === "**" || name === "." || name === "..")
    return '"protected" holds names, which count in every folder; write a name such as ".env" or "*.pem", and paths into a layer\'s "permissions"';
  return checkPathItem(`${ANYWHERE}${name}`);
}

/** Denies each name, and what is below it, in every folder of the workspace. */
export function protectNames(names: readonly string[]): Permissions {
  const deny = names.map((name) => `${ANYWHERE}${name}`);
  return { read: { deny }, write: { deny } };
}
