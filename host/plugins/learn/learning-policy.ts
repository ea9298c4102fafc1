/** A policy that allows one plugin everything within a maximum, so that its acts can be learned (SPEC P9). */

import type { PermissionBases, PermissionLayer, Permissions } from "../../../manifests/mod.ts";
import type { AllowDecision } from "../../call/call.ts";
import type { Policy } from "../../policy/policy.ts";
import { toLayer } from "./maximum.ts";

/** The plugin to learn, and its maximum. */
export interface LearningOptions {
  readonly plugin: string;
  /** Replaces what its manifest requests and what it was granted. */
  readonly maximum: Permissions;
  /** Folder that relative items of the maximum resolve against. */
  readonly base: string;
}

/** Replaces the manifest, tool and grant layers by the maximum; layers of policy and side-effect class stay in force. */
export function learningPolicy(inner: Policy, options: LearningOptions, folders: Pick<PermissionBases, "data" | "tmp" | "home">): Policy {
  const replaced = new WeakMap<AllowDecision, AllowDecision>();
  return {
    limitsFor: (tool, call) => inner.limitsFor(tool, call),
    decide(tool, call) {
      const decision = inner.decide(tool, call);
      if (decision.kind === "deny" || tool.plugin !== options.plugin || tool.binding.kind !== "plugin") return decision;
      const known = replaced.get(decision);
      if (known !== undefined) return known;
      const { data } = folders;
      const maximum = toLayer(options.maximum, {
        ...folders,
        ...(data !== undefined && { data: `${data}/${tool.plugin}` }),
        base: options.base,
        plugin: tool.binding.version.directory,
        workspace: call.session.workspace,
      });
      const layers = [...decision.grant.layers.filter((layer) => !givesWay(layer)), maximum];
      const made: AllowDecision = Object.freeze({ ...decision, grant: Object.freeze({ layers: Object.freeze(layers) }) });
      replaced.set(decision, made);
      return made;
    },
  };
}

/** Checks `unnamed` too, because a policy layer may have any name, but is never "none". */
function givesWay({ name, unnamed }: PermissionLayer): boolean {
  return unnamed === "none" && (name === "manifest" || name === "tool" || name === "user grant");
}
