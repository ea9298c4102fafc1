/** Layers of a policy, flat permissions of roles, and permission types, in canonical form (SPEC P3, P5, P7). The reader is `parse-policy-layer.ts`. */

import type { Permissions } from "./permissions.ts";

/** In the order in which they are asked; every one must let a call pass. */
export const LAYER_LEVELS = ["global", "role", "task", "delegation"] as const;
export type LayerLevel = (typeof LAYER_LEVELS)[number];

/** Which calls are refused where they cannot be kept first: those that change something, or all of them. */
export const REQUIRED_RECORDS = ["effects", "all"] as const;
export type RequiredRecords = (typeof REQUIRED_RECORDS)[number];

/** What a layer lets pass. Tools are told by selectors: `grep`, `words.grep`, `words.*`, `group:read`, `category:web`. */
export interface LayerRules {
  /** Shown in decisions. */
  readonly name: string;
  /** Only these tools. Default: all. */
  readonly allow?: readonly string[];
  /** None of these, whatever `allow` says. */
  readonly deny?: readonly string[];
  /** What the tools may hold at most, for the kinds it names. */
  readonly permissions?: Permissions;
  /** With `all` its calls are kept first, whatever the project requires. `effects` takes nothing back. */
  readonly audit?: { readonly required: RequiredRecords };
}

/** A layer of `bascule.json`, or one added from code. `task` layers come with a session's context instead. */
export interface PolicyLayer extends LayerRules {
  readonly level: Exclude<LayerLevel, "task">;
  /** Whose calls it holds for; with level `role`, and only there. */
  readonly role?: string;
}

/** What a role may use, in four fields: forbidden counts first, then allowed tools, then category and web. */
export interface FlatPermissions {
  /** Default true; false takes network tools away. */
  readonly webAccess?: boolean;
  /** Default: all. */
  readonly allowedCategories?: readonly string[];
  /** Allowed whatever their category. Alone, without categories, only these are. */
  readonly allowedTools?: readonly string[];
  readonly forbiddenTools?: readonly string[];
}

export const PERMISSION_TYPES = ["network", "filesystem", "shell", "compute"] as const;
export type PermissionType = (typeof PERMISSION_TYPES)[number];

/** How tools of a kind are confirmed, and which folders they are kept in. */
export interface PermissionTypeRules {
  /** Whether a person is asked, where neither the tool nor a trusted workspace says otherwise. */
  readonly requiresApproval?: boolean;
  /** Nothing outside these is read or written. */
  readonly allowedPaths?: readonly string[];
}
