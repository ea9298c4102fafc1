/** `manifest.json` in canonical form (SPEC M2). The reader is `parseManifest` in `parse.ts`. */

import type { JsonSchema } from "../schema/json-schema.ts";
import type { LimitRequest } from "./limits.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { ToolDefinition } from "./tool.ts";

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly module: string;
  readonly export: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly tags: readonly string[];
}

/** Canonical form: every default is filled in (`module` and `export` of a plugin's tools are always present). */
export interface Manifest {
  readonly schemaVersion: "1.0";
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly main: string;
  /** Names of other plugins with semver ranges. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly settingsSchema?: JsonSchema;
  /** Permissions that the plugin requests; it has none until they are granted. */
  readonly permissions: Permissions;
  readonly tools: readonly ToolDefinition[];
  readonly skills: readonly Skill[];
  /** Set if `tools` is written from the code (SPEC AX1). Without effect on calls: the tools listed here are the contract. */
  readonly toolsFrom?: "code";
  readonly state: "call" | "session";
  readonly limits: LimitRequest;
  readonly imports: Readonly<Record<string, string>>;
  readonly author?: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly keywords: readonly string[];
  /** Notes of the author or of a conversion from the older spelling, without effect. */
  readonly notes?: readonly string[];
}
