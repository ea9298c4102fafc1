/** The access that a call really has: layers of permissions that are AND-ed for every act (SPEC C2). */

import type { PermissionLayer, Permissions } from "../../manifests/mod.ts";

/**
 * Layers in order: manifest, tool, side-effect class, policy, user grant, session. A query must pass every layer.
 *
 * `decide` makes grants from the host's own records; they never leave the host's process.
 */
export interface Grant {
  readonly layers: readonly PermissionLayer[];
}

/** Looks up the user's grants. `host/grants/grants.ts` keeps them in `.bascule/grants.json`. */
export interface GrantReader {
  /**
   * Returns the grant of this plugin version in this folder; relative items resolve against the project's root. Returns the same object
   * until the grant changes, because policies cache compiled layers by it.
   */
  find(plugin: string, directory: string, digest: string): Permissions | undefined;
}

/** Permissions that the user gave a plugin for one call. They count as a user grant of that call, and of no call that it makes; not stored. */
export interface CallGrant {
  readonly plugin: string;
  readonly permissions: Permissions;
}

/** Grants for one run, from the embedding program and `--allow-*` flags. Relative items resolve against `base`. */
export interface RunGrants {
  readonly base: string;
  /** Granted to every plugin. */
  readonly all?: Permissions;
  readonly perPlugin?: ReadonlyMap<string, Permissions>;
  /** Denied to every tool (`--deny-*`); no grant overrides it. */
  readonly denied?: Permissions;
}
