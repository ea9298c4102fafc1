/** `manifest.json` in canonical form (SPEC M2). The reader is `parseManifest` in `parse.ts`. */

import type { JsonSchema } from "./json-schema.ts";
import type { LimitRequest } from "./limits.ts";
import type { Permissions } from "./permissions.ts";
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

/** Canonical: every default filled in (`module` and `export` of a plugin's tools are always present). */
export interface Manifest {
  readonly schemaVersion: "1.0";
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly main: string;
  /** Other plugins' names and semver ranges. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly settingsSchema?: JsonSchema;
  /** What the plugin asks for. It holds nothing until it is granted. */
  readonly permissions: Permissions;
  readonly tools: readonly ToolDefinition[];
  readonly skills: readonly Skill[];
  readonly state: "call" | "session";
  readonly limits: LimitRequest;
  readonly imports: Readonly<Record<string, string>>;
  readonly author?: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly keywords: readonly string[];
  /** What an author or a conversion from the older spelling wants to be remembered; nothing acts on it. */
  readonly notes?: readonly string[];
}
