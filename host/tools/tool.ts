/** Types of a tool: what a factory creates, what a plugin version holds, and what the registry lists. Types only. */

import type { JsonObject, JsonValue, Manifest, PermissionBases, RemoteConfig, ToolDefinition } from "../../manifests/mod.ts";
import type { ToolContext } from "../call/context.ts";
import type { ToolOutput } from "../call/tool-output.ts";

/** Sources of tools (SPEC R3). */
export const TOOL_SOURCES = ["plugin", "builtin", "function", "langchain", "ai-sdk", "mcp", "remote", "skill"] as const;
/** One of `TOOL_SOURCES`. */
export type ToolSourceName = (typeof TOOL_SOURCES)[number];

/** A definition as a factory writes it: omitted members have the defaults of SPEC M3. */
export type ToolDeclaration = Partial<ToolDefinition> & Pick<ToolDefinition, "name" | "description" | "inputSchema" | "sideEffects">;

/** Parts of a tool's definition in the source's own format. Doors pass them on unchanged, and the source validates them (SPEC S5). */
export interface PublishedWords {
  /** The source's own schemas, of any draft, if they differ from those that the host validates. */
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Members of an MCP server's definition, for clients. `annotations` are the server's own hints, which the host does not verify. */
  readonly mcp?: {
    readonly annotations?: JsonObject;
    readonly icons?: readonly JsonValue[];
    /** Kept only if it forbids tasks, because the host does not run tasks. */
    readonly execution?: { readonly taskSupport: "forbidden" };
    readonly _meta?: JsonObject;
  };
}

/** Bytes and images become content blocks. */
type Returned =
  | JsonValue
  | ToolOutput
  | Uint8Array
  | { readonly type: "image" | "audio"; readonly mimeType: string; readonly data: string | Uint8Array }
  | undefined;

/** A host tool. Each instance runs one `execute` (SPEC R1). */
export interface Tool {
  readonly definition: ToolDeclaration;
  readonly published?: PublishedWords;
  /**
   * Runs the tool. A thrown error becomes the call's error.
   *
   * @returns plain JSON, `undefined` (null), `toolOutput(…)`, or an async generator: the caller gets each value while the tool runs, and the
   * result is what it returns, or else the list of what it yielded
   */
  execute(args: JsonValue, context: ToolContext): Returned | Promise<Returned> | AsyncIterable<JsonValue, Returned | void>;
  /**
   * Whether the tool makes all of its changes through its context, so that a dry run can hold them back (SPEC E8). Otherwise a tool of the
   * embedding program that does more than read cannot be dry-run.
   */
  readonly changesByContext?: boolean;
  /** Called once, at cancellation or the deadline; returns whether the tool ended cleanly. */
  cancel?(): Promise<boolean>;
  /** Grace period in milliseconds after cancellation, at most 30,000. Default 3,000. */
  readonly graceMs?: number;
}

/** Creates a new instance for each call. */
export type ToolFactory = () => Tool;

/** One loaded version of a plugin, with everything that its running calls need to finish on it (SPEC H4). */
export interface PluginVersion {
  readonly name: string;
  /** SHA-256 over manifest and files, hex (SPEC M11). */
  readonly digest: string;
  /** Signer of the version, if it is signed (SPEC M12). */
  readonly signedBy?: { readonly signer: string; readonly text: string };
  readonly manifest: Manifest;
  /** Absolute real path of the plugin's folder. */
  readonly directory: string;
  /** Folders against which the manifest's permission items resolve. */
  readonly bases: PermissionBases;
  /** Contents of the files that the hash covers, by "/"-separated relative path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** How a registered tool runs. */
export type ToolBinding =
  | { readonly kind: "factory"; readonly create: ToolFactory }
  /** A tool of a plugin, or of a module of the project (then `RegisteredTool.plugin` is absent). */
  | { readonly kind: "plugin"; readonly version: PluginVersion }
  /** A tool of another bascule host. */
  | ({ readonly kind: "remote" } & RemoteConfig)
  /** A declared tool that cannot run: disabled, failed or quarantined. A call answers `unavailable` with the reason. */
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
  /**
   * Owner of its bare name, if another owner has it. The tool is then called by its qualified name, and permissions by the bare name do not
   * apply to it.
   */
  readonly yieldsTo?: string;
}
