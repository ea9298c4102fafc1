/** A tool as a manifest, a host factory or `bascule.json` declares it (SPEC M3), in canonical form. */

import type { JsonSchema } from "../schema/json-schema.ts";
import type { JsonObject } from "../text/json.ts";
import type { PermissionKind, Permissions } from "../permissions/permissions.ts";
import type { SideEffect } from "../permissions/side-effect.ts";

export const CALLERS = ["direct", "chain"] as const;
export type Caller = (typeof CALLERS)[number];

/** Declares that an argument names a resource which the host must check before the tool runs (SPEC C5). */
export interface Requirement {
  readonly capability: Extract<PermissionKind, "read" | "write" | "net" | "run">;
  /** Name of the argument: a path for read and write, a URL or host for net, a program for run. */
  readonly arg: string;
}

export interface Visibility {
  readonly roles?: readonly string[];
  readonly notRoles?: readonly string[];
}

/** Hints for MCP clients. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Canonical: every default is filled in, and no member that always has a value is optional. */
export interface ToolDefinition {
  /** Unique in the plugin: `[a-zA-Z][a-zA-Z0-9_-]{0,63}`. */
  readonly name: string;
  /** Name for people. */
  readonly title?: string;
  /** Says to people and models what the tool does. */
  readonly description: string;
  /** File inside the plugin; absent for host tools. */
  readonly module?: string;
  /** Exported function; absent for host tools. Default in a manifest: the tool's name. */
  readonly export?: string;
  readonly category?: string;
  readonly tags: readonly string[];
  /** Schema of the arguments, an object. */
  readonly inputSchema: JsonSchema;
  /** Schema of the result; without it any JSON value is accepted. */
  readonly outputSchema?: JsonSchema;
  /** Everything that the tool does besides answering; the host refuses the rest. */
  readonly sideEffects: readonly SideEffect[];
  /** Whether it deletes or overwrites. */
  readonly destructive: boolean;
  readonly determinism: "deterministic" | "nondeterministic";
  /** Whether a second run with the same `context.idempotencyKey` has no further effect, so that a cluster may run a call again (SPEC CL2). */
  readonly idempotent?: boolean;
  /** Subset of the plugin's permissions; absent means all of them (SPEC PA3). */
  readonly permissions?: Permissions;
  /** Whether it does nothing in the sandbox, whatever it is granted, because it needs an API that only the runtime has (SPEC G3). */
  readonly native?: boolean;
  readonly requires: readonly Requirement[];
  /** Elapsed time of a call, within what policy and the user allow. */
  readonly timeoutMs?: number;
  /** `direct`: clients may call it. `chain`: other tools may. */
  readonly callers: readonly Caller[];
  readonly visibility: Visibility;
  readonly annotations: ToolAnnotations;
  /** Set if the older spelling declared no side effects and `network` was assumed (SPEC M9). */
  readonly assumed?: true;
  readonly metadata?: JsonObject;
}
