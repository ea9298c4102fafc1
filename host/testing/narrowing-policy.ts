/** A policy whose grants can be narrowed while calls run, for tests with their own permissions. */

import { compilePermissions, type PermissionLayer, type Permissions } from "../../manifests/mod.ts";
import type { Policy } from "../policy/policy.ts";

interface NarrowingPolicy {
  readonly policy: Policy;
  /** From now on every operation must pass these permissions too; undefined: only the policy applies. */
  readonly narrow: (permissions: Permissions | undefined) => void;
}

/** Decides like `inner`. Narrowing only adds a layer, so no call gets more than `inner` grants. */
export function narrowingPolicy(inner: Policy): NarrowingPolicy {
  let narrowed: Permissions | undefined;
  return {
    narrow: (permissions) => void (narrowed = permissions),
    policy: {
      limitsFor: (tool, call) => inner.limitsFor(tool, call),
      decide(tool, call) {
        const decision = inner.decide(tool, call);
        if (decision.kind === "deny") return decision;
        const { layers } = decision.grant;
        const { workspace } = call.session;
        const grant = {
          // Read at each operation.
          get layers(): readonly PermissionLayer[] {
            return narrowed === undefined ? layers : [...layers, toLayer(narrowed, workspace)];
          },
        };
        return { ...decision, grant };
      },
    },
  };
}

function toLayer(permissions: Permissions, workspace: string): PermissionLayer {
  const compiled = compilePermissions(permissions, { base: workspace, workspace });
  return { name: "test permissions", permissions: compiled, unnamed: "none", otherwise: "denied" };
}
