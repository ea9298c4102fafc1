/** What a tool is to the host: what a factory makes, what a plugin version holds, what the registry lists. Types only. */

import type { JsonObject, JsonValue, Manifest, PermissionBases, RemoteConfig, ToolDefinition } from "../../manifests/mod.ts";
import type { ToolContext } from "../call/context.ts";
import type { ToolOutput } from "../call/tool-output.ts";

/** Where a tool comes from (SPEC R3). */
export const TOOL_SOURCES = ["plugin", "builtin", "function", "langchain", "ai-sdk", "mcp", "remote", "skill"] as const;
/** One of `TOOL_SOURCES`. */
export type ToolSourceName = (typeof TOOL_SOURCES)[number];

/** A definition as a factory writes it: what is left out has the defaults of SPEC M3. */
export type ToolDeclaration = Partial<ToolDefinition> & Pick<ToolDefinition, "name" | "description" | "inputSchema" | "sideEffects">;

/** Parts of a tool's definition in words of its source that are not ours: every door hands them on as they are, and the source checks them (SPEC S5). */
export interface PublishedWords {
  /** The source's own schemas, of any draft, where they are not those that the host checks. */
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Members for clients in an MCP server's definition. `annotations` hold its own hints, which the host does not vouch for. */
  readonly mcp?: {
    readonly annotations?: JsonObject;
    readonly icons?: readonly JsonValue[];
    /** Only where it says that there are no tasks, which is so here. */
    readonly execution?: { readonly taskSupport: "forbidden" };
    readonly _meta?: JsonObject;
  };
}

/** A host tool: one instance runs one `execute` (SPEC R1). */
export interface Tool {
  readonly definition: ToolDeclaration;
  readonly published?: PublishedWords;
  /** @returns plain JSON, `undefined` (null), or `toolOutput(…)`; whatever it throws becomes the call's error. */
  execute(args: JsonValue, context: ToolContext): Promise<JsonValue | ToolOutput | undefined> | JsonValue | ToolOutput | undefined;
  /**
   * True if everything that it changes goes through its context, so that a dry run holds it back (SPEC E8). Without it a tool
   * of the embedding program that does more than read cannot be dry-run.
   */
  readonly changesByContext?: boolean;
  /** Asked at cancellation and at the deadline, once; says whether it ended cleanly. */
  cancel?(): Promise<boolean>;
  /** What it takes to end after it was told to, at most 30,000. Default 3,000. */
  readonly graceMs?: number;
}

/** Makes a new instance at each call. */
export type ToolFactory = () => Tool;

/** One version of a plugin, as loaded: everything a call needs to finish on the version it began with (SPEC H4). */
export interface PluginVersion {
  readonly name: string;
  /** SHA-256 over manifest and files, hex (SPEC M11). */
  readonly digest: string;
  /** Whose signature it bears, where it bears one (SPEC M12). */
  readonly signedBy?: { readonly signer: string; readonly text: string };
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
  /** Of a plugin, or of a module of the project (then `RegisteredTool.plugin` is absent). */
  | { readonly kind: "plugin"; readonly version: PluginVersion }
  /** Of another bascule host. */
  | ({ readonly kind: "remote" } & RemoteConfig)
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
  /** The plugin's name, or `$builtin`, `$host`, … for tools of no plugin. */
  readonly owner: string;
  /** The plugin that the tool belongs to; absent for tools of no plugin. */
  readonly plugin?: string;
  readonly source: ToolSourceName;
  readonly toolkit?: string;
  readonly definition: ToolDefinition;
  readonly published?: PublishedWords;
  readonly binding: ToolBinding;
  /** Whose its bare name is, if that is another's: it is called by its qualified name, and no allowance by the bare name is meant for it. */
  readonly yieldsTo?: string;
}
