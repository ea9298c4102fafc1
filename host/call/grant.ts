/** What a call really gets: layers of permissions that are AND-ed at every act (SPEC C2). */

import type { PermissionLayer, Permissions } from "../../manifests/mod.ts";

/**
 * In order: manifest, tool, side-effect class, policy, user grant, session. A query must pass every layer.
 *
 * A grant is made by `decide` from the host's own records and never leaves the host's process.
 */
export interface Grant {
  readonly layers: readonly PermissionLayer[];
}

/** Looks up what people have granted. `host/project/grants/grants.ts` keeps it in `.bascule/grants.json`. */
export interface GrantReader {
  /**
   * What this version of the plugin in this folder holds; relative items resolve against the project's root. The same object as long as
   * nothing changed: decisions remember by it what they compiled.
   */
  find(plugin: string, directory: string, digest: string): Permissions | undefined;
}

/** Grants that hold for one run: those of the embedding program and of `--allow-*` flags. Relative items resolve against `base`. */
export interface RunGrants {
  readonly base: string;
  /** To every plugin. */
  readonly all?: Permissions;
  readonly perPlugin?: ReadonlyMap<string, Permissions>;
  /** Absolute, for everybody (`--deny-*`). */
  readonly denied?: Permissions;
}
