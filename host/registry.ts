/** The tools that can be called, as an immutable snapshot that is replaced whole (SPEC R). Types; see `createRegistry`. */

import type { JsonValue, Manifest, PermissionBases, ToolDefinition } from "../manifests/mod.ts";
import type { ToolContext } from "./context.ts";

export const TOOL_SOURCES = ["plugin", "builtin", "function", "langchain", "ai-sdk", "mcp", "remote", "skill"] as const;
export type ToolSourceName = (typeof TOOL_SOURCES)[number];

/** A host tool: one instance runs one `execute` (SPEC R1). */
export interface Tool {
  readonly definition: Partial<ToolDefinition> & Pick<ToolDefinition, "name" | "description" | "inputSchema" | "sideEffects">;
  execute(args: JsonValue, context: ToolContext): Promise<JsonValue | undefined> | JsonValue | undefined;
  cancel?(): Promise<boolean>;
}
export type ToolFactory = () => Tool;

/** One version of a plugin, as loaded: everything a call needs to finish on the version it began with (SPEC H4). */
export interface PluginVersion {
  readonly name: string;
  /** SHA-256 over manifest and files, hex (SPEC M11). */
  readonly digest: string;
  readonly manifest: Manifest;
  /** Absolute real path of the plugin's folder. */
  readonly directory: string;
  /** What the manifest's permission items resolve against. */
  readonly bases: PermissionBases;
  /** Contents of the files that the digest covers, by "/"-separated relative path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** How a registered tool is run. */
export type ToolBinding =
  | { readonly kind: "factory"; readonly create: ToolFactory }
  | { readonly kind: "plugin"; readonly version: PluginVersion }
  /** Declared, but cannot run: disabled, failed, quarantined. Calling it answers `unavailable` with the reason. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** One entry of the registry. */
export interface RegisteredTool {
  /** UUIDv7, new at each registration. */
  readonly id: string;
  /** Bare name, as declared. */
  readonly name: string;
  /** `plugin.tool`, or the bare name for tools of no plugin. Unique. */
  readonly qualifiedName: string;
  readonly owner: string;
  readonly source: ToolSourceName;
  readonly toolkit?: string;
  readonly definition: ToolDefinition;
  readonly binding: ToolBinding;
}
