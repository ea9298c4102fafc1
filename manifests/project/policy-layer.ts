/**
 * Policy layers, flat permissions of roles, and permission types in canonical form (SPEC P3, P5, P7). The reader is
 * `parse-policy-layer.ts`.
 */

import type { Permissions } from "../permissions/permissions.ts";

/** Levels in order of evaluation; every level must allow a call. */
export const LAYER_LEVELS = ["global", "role", "task", "delegation"] as const;
export type LayerLevel = (typeof LAYER_LEVELS)[number];

/** Calls that are refused if they cannot be recorded first: those with effects, or all. */
export const REQUIRED_RECORDS = ["effects", "all"] as const;
export type RequiredRecords = (typeof REQUIRED_RECORDS)[number];

/** Restrictions of a layer. Selectors name the tools: `grep`, `words.grep`, `words.*`, `group:read`, `category:web`. */
export interface LayerRules {
  /** Name of the layer, shown in decisions. */
  readonly name: string;
  /** The allowed tools. Default: all. */
  readonly allow?: readonly string[];
  /** Tools that are denied even if `allow` names them. */
  readonly deny?: readonly string[];
  /** Maximum permissions of the tools, for the kinds it names. */
  readonly permissions?: Permissions;
  /** With `all` its calls are recorded first, whatever the project requires. `effects` does not weaken the project's setting. */
  readonly audit?: { readonly required: RequiredRecords };
}

/** A layer of `bascule.json`, or one added from code. `task` layers come with a session's context instead. */
export interface PolicyLayer extends LayerRules {
  readonly level: Exclude<LayerLevel, "task">;
  /** Role whose calls it applies to; only with level `role`, which requires it. */
  readonly role?: string;
}

/** Permissions of a role in four fields, evaluated in this order: forbidden tools, allowed tools, category and web. */
export interface FlatPermissions {
  /** Whether network tools are allowed. Default true. */
  readonly webAccess?: boolean;
  /** The allowed categories. Default: all. */
  readonly allowedCategories?: readonly string[];
  /** Tools that are allowed whatever their category. Without categories, only these tools are allowed. */
  readonly allowedTools?: readonly string[];
  readonly forbiddenTools?: readonly string[];
}

export const PERMISSION_TYPES = ["network", "filesystem", "shell", "compute"] as const;
export type PermissionType = (typeof PERMISSION_TYPES)[number];

/** Confirmation and folders for the tools of one permission type. */
export interface PermissionTypeRules {
  /** Whether a confirmation is required, unless the tool or a trusted workspace decides. */
  readonly requiresApproval?: boolean;
  /** Folders outside which nothing is read or written. */
  readonly allowedPaths?: readonly string[];
}
