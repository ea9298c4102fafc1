/** A policy that allows everything, to show that dispatch works with any policy (SPEC D8). */

import type { Policy } from "../../host/policy/policy.ts";
import { compilePermissions, DEFAULT_LIMITS } from "../../manifests/mod.ts";

const everything = compilePermissions({ read: true, write: true, net: true, env: true }, { base: "/" });

export const allowAllPolicy: Policy = {
  limitsFor: () => DEFAULT_LIMITS,
  decide: (tool) => ({
    kind: "allow",
    route: tool.binding.kind === "plugin" ? "wasm" : "host",
    grant: { layers: [{ name: "everything", permissions: everything, unnamed: "none", otherwise: "denied" }] },
    limits: DEFAULT_LIMITS,
    because: { layer: "test", rule: "all" },
    confirm: "auto",
  }),
};
