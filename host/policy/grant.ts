/** What a call really gets: layers of permissions that are AND-ed at every act (SPEC C2). */

import type { PermissionLayer } from "../../manifests/mod.ts";

/**
 * In order: manifest, tool, side-effect class, policy, user grant, session. A query must pass every layer.
 *
 * A grant is made by `decide` from the host's own records and never leaves the host's process.
 */
export interface Grant {
  readonly layers: readonly PermissionLayer[];
}
