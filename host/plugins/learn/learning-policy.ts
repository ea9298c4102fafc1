/** A policy under which one plugin may do what a person allows at most, so that what it does can be learned (SPEC P9). */

import type { PermissionBases, PermissionLayer, Permissions } from "../../../manifests/mod.ts";
import type { AllowDecision } from "../../call/call.ts";
import type { Policy } from "../../policy/policy.ts";
import { toLayer } from "./maximum.ts";

/** Whose acts are learned, and within what. */
export interface LearningOptions {
  readonly plugin: string;
  /** In place of what its manifest asks for and what it was granted. */
  readonly maximum: Permissions;
  /** What relative items of it are relative to. */
  readonly base: string;
}

/** Layers of policy and of the side-effect class stay in force; only manifest, tool and grant give way to the maximum. */
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

/** A layer of policy may have any name, but none of those says nothing about what it does not name. */
function givesWay({ name, unnamed }: PermissionLayer): boolean {
  return unnamed === "none" && (name === "manifest" || name === "tool" || name === "user grant");
}
