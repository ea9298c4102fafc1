/** What the outside sees of a plugin folder: its status, and the events of its life. */

import type { JsonObject, LimitRequest, Manifest, Permissions, Problem, ToolDefinition } from "../../../manifests/mod.ts";
import type { EventType } from "../../audit/events.ts";
import type { ConsentChange, NameClash } from "../consent/changes.ts";
import type { AcceptedLimits } from "../../policy/tool-limits.ts";
import type { OwnerStanding } from "../../tools/registry.ts";
import type { PluginVersion, ToolBinding } from "../../tools/tool.ts";

/** `failed` and `quarantined` may still serve their last good version: see `lastGood`. */
export type PluginState = "loaded" | "disabled" | "failed" | "quarantined" | "ignored";

/** Why the newest version does not run, with the place in the author's own file. */
export interface PluginError {
  readonly message: string;
  /** "/"-separated, relative to the plugin's folder. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  readonly stack?: string;
}

/** One folder of a plugin root (SPEC H1). */
export interface PluginStatus {
  readonly state: PluginState;
  /** Absolute, in its root. */
  readonly directory: string;
  /** Where that really is, if it or its root is a link: what the plugin's grants are for. */
  readonly realDirectory?: string;
  readonly folder: string;
  /** Absent while the manifest cannot be read. */
  readonly name?: string;
  readonly version?: string;
  /** Of the version that serves; without one, of the newest that was read. */
  readonly digest?: string;
  /** Of the version that serves; without one, of the newest that could be read. */
  readonly manifest?: Manifest;
  /** What the manifest asks for; granted or not. */
  readonly requested?: Permissions;
  /** What a person accepted of the limits that the manifest asks for. */
  readonly acceptedLimits?: LimitRequest;
  /** Why it is not loaded, and warnings. */
  readonly problems: readonly Problem[];
  /** One line for people: why it is not loaded. */
  readonly reason?: string;
  /** The newest version does not run, and the one before it still serves (SPEC H5). */
  readonly lastGood: boolean;
  readonly error?: PluginError;
  /** The version that waits for a person's consent (SPEC H6). */
  readonly held?: HeldVersion;
}

/** The folder that grants of the plugin are for. */
export function realDirectoryOf({ directory, realDirectory = directory }: Pick<PluginStatus, "directory" | "realDirectory">): string {
  return realDirectory;
}

/** A version that is in quarantine. */
export interface HeldVersion {
  /** As its manifest says, which may be another name than that of what serves. */
  readonly name: string;
  readonly version: string;
  readonly digest: string;
  readonly signer?: string;
  /** What is different from the version that was consented to, the weightiest first. Written by the plugin's author. */
  readonly changes: readonly ConsentChange[];
}

/** A folder that is not what it was when it was last considered. */
export interface PluginChange {
  readonly kind: "added" | "changed" | "removed";
  readonly directory: string;
  readonly name?: string;
}

/** An event without its envelope: the host adds id, time and producer. */
export interface PluginEvent {
  readonly type: Extract<EventType, `plugin.${string}`>;
  readonly plugin: string;
  readonly digest?: string;
  readonly payload: JsonObject;
}

/** A tool or skill of a plugin. */
export interface PublishedTool {
  readonly definition: ToolDefinition;
  readonly binding: ToolBinding;
  readonly source: "plugin" | "skill";
}

/** The registry's side of a swap: everything a plugin offers is replaced in one snapshot (SPEC R7). */
export interface Publish {
  replaceOwner(owner: string, tools: readonly PublishedTool[], standing?: OwnerStanding): unknown;
  removeOwner(owner: string): void;
  /** True if the embedding program registers tools of that owner. */
  isProgram?(owner: string): boolean;
  /** A tool of the program or of an MCP server that the name looks like. */
  lookAlike?(name: string): { readonly name: string; readonly owner: string } | undefined;
}

/** What people set for plugins, as far as it says what can be called (SPEC G1). */
export interface PluginSwitches {
  /** Why no version with this manifest may serve. */
  problemsOf(manifest: Manifest): readonly Problem[];
  isEnabled(manifest: Manifest): boolean;
  /** Why one of its tools cannot be called. */
  disabledTool(manifest: Manifest, tool: string): string | undefined;
}

/** Whether a version that loads may replace the one that serves (SPEC H6). */
export type Admission =
  | Admitted
  | { readonly kind: "quarantine"; readonly reason: string; readonly changes: readonly ConsentChange[] }
  | { readonly kind: "refuse"; readonly problems: readonly Problem[] };

/** `changes` are those that a person accepted, or should be told of. */
export interface Admitted {
  readonly kind: "admit";
  readonly changes?: readonly ConsentChange[];
  readonly consent?: "person" | "notice";
}

/** Says which versions may serve, and remembers which did. */
export interface Gatekeeper {
  /** Limits above the defaults that a person accepted; without a yes, none. */
  readonly acceptedLimits: AcceptedLimits;
  /**
   * Asked once for every version that loaded, before anybody can call it. `path` is its folder, in its root; `clashes` are names of others that
   * its own look like.
   */
  admit(version: PluginVersion, path: string, clashes: readonly NameClash[]): Promise<Admission>;
  /** What is known of a plugin of this name in this folder: a plugin that served before goes before newcomers. */
  standing(plugin: string, path: string, directory: string): OwnerStanding;
  /** Whether a person is giving this version its plugin's name, or has: then the folder has it before any other. */
  nameOf(plugin: string, path: string, digest: string): "accepting" | "locked" | undefined;
  /** In the tick of the swap: the version serves from now on. */
  served(version: PluginVersion, path: string): void;
  /** The version that was consented to, with its bytes as they were then: for a plugin whose folder holds another one. */
  lastGood(version: PluginVersion, path: string): Promise<KeptVersion | undefined>;
}

/** A version whose bytes were kept, and their size. */
export interface KeptVersion {
  readonly version: PluginVersion;
  readonly bytes: number;
}
