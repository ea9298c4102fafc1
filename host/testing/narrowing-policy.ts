/** A policy whose grants can be narrowed while calls run: for tests that name permissions of their own. */

import { compilePermissions, type PermissionLayer, type Permissions } from "../../manifests/mod.ts";
import type { Policy } from "../policy/policy.ts";

export interface NarrowingPolicy {
  readonly policy: Policy;
  /** From now on every act must pass these too; undefined: only what the policy says. */
  readonly narrow: (permissions: Permissions | undefined) => void;
}

/** Decides as `inner` does. Narrowing only ever adds a layer, so nothing gets more than `inner` gives. */
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
          // Read at each act.
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
