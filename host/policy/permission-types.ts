/** Permission types: whether tools of a type need a confirmation, and which folders they are limited to (SPEC P7). */

import type { PermissionType, Permissions, PolicyConfig, SideEffectClass } from "../../manifests/mod.ts";
import type { Because } from "../call/call.ts";

/** The permission type of each side-effect class. Reading follows the class (SPEC E1). */
const TYPE_OF: Readonly<Record<SideEffectClass, PermissionType | undefined>> = {
  none: "compute",
  read: undefined,
  write: "filesystem",
  network: "network",
  execute: "shell",
};

/** Whether a type requires a confirmation for tools of this class; undefined if no type sets it. */
interface Approval {
  readonly required: boolean;
  readonly because: Because;
}

export function approvalFor(types: PolicyConfig["permissionTypes"], sideEffects: SideEffectClass): Approval | undefined {
  const type = TYPE_OF[sideEffects];
  const required = type === undefined ? undefined : types[type]?.requiresApproval;
  return required === undefined ? undefined : { required, because: { layer: "confirmation", rule: `permission type ${type}` } };
}

/** A layer of a grant that keeps tools within `allowedPaths`. */
export interface Ceiling {
  readonly name: string;
  readonly permissions: Permissions;
}

/** Makes the ceilings of each class once; those of `filesystem` hold for every tool. Returns the same array for the same class. */
export function createTypeCeilings(types: PolicyConfig["permissionTypes"]): (sideEffects: SideEffectClass) => readonly Ceiling[] {
  const ceilingOf = (type: PermissionType | undefined): readonly Ceiling[] => {
    const paths = type === undefined ? undefined : types[type]?.allowedPaths;
    return paths === undefined ? [] : [{ name: `permission type ${type}`, permissions: { read: paths, write: paths } }];
  };
  const forAll = ceilingOf("filesystem");
  const forClass = (sideEffects: SideEffectClass): readonly Ceiling[] => {
    const own = TYPE_OF[sideEffects];
    return own === "filesystem" ? forAll : [...forAll, ...ceilingOf(own)];
  };
  const made: Readonly<Record<SideEffectClass, readonly Ceiling[]>> = {
    none: forClass("none"),
    read: forClass("read"),
    write: forClass("write"),
    network: forClass("network"),
    execute: forClass("execute"),
  };
  return (sideEffects) => made[sideEffects];
}
