/** The public view of a plugin folder: its status and events. */

import type { JsonObject, LimitRequest, Manifest, Permissions, Problem, ToolDefinition } from "../../../manifests/mod.ts";
import type { EventType } from "../../audit/events.ts";
import type { ConsentChange, NameClash } from "../consent/change.ts";
import type { AcceptedLimits } from "../../policy/tool-limits.ts";
import type { OwnerStanding } from "../../tools/registry.ts";
import type { PluginVersion, ToolBinding } from "../../tools/tool.ts";

/** `failed` and `quarantined` plugins may still serve their last good version: see `lastGood`. */
export type PluginState = "loaded" | "disabled" | "failed" | "quarantined" | "ignored";

/** Why the newest version does not run, with the position in the author's own file. */
export interface PluginError {
  readonly message: string;
  /** "/"-separated, relative to the plugin's folder. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly stack?: string;
}

/** One folder of a plugin root (SPEC H1). */
export interface PluginStatus {
  readonly state: PluginState;
  /** Absolute path in its root. */
  readonly directory: string;
  /** Real path, if the folder or its root is a link. The plugin's grants refer to it. */
  readonly realDirectory?: string;
  readonly folder: string;
  /** Absent while the manifest cannot be read. */
  readonly name?: string;
  readonly version?: string;
  /** Hash of the served version, or else of the newest one read. */
  readonly digest?: string;
  /** Manifest of the served version, or else the newest readable one. */
  readonly manifest?: Manifest;
  /** Permissions that the manifest requests, granted or not. */
  readonly requested?: Permissions;
  /** Limits that the manifest requests and the user accepted. */
  readonly acceptedLimits?: LimitRequest;
  /** Errors that prevent loading, and warnings. */
  readonly problems: readonly Problem[];
  /** One line for the user: why it is not loaded. */
  readonly reason?: string;
  /** The newest version does not run, and the one before it still serves (SPEC H5). */
  readonly lastGood: boolean;
  readonly error?: PluginError;
  /** The version that waits for the user's acceptance (SPEC H6). */
  readonly held?: HeldVersion;
}

/** Returns the folder that the plugin's grants refer to. */
export function realDirectoryOf({ directory, realDirectory = directory }: Pick<PluginStatus, "directory" | "realDirectory">): string {
  return realDirectory;
}

/** A quarantined version. */
export interface HeldVersion {
  /** Name in its manifest, which may differ from that of the served version. */
  readonly name: string;
  readonly version: string;
  readonly digest: string;
  readonly signer?: string;
  /** Changes from the accepted version, most important first. Written by the plugin's author. */
  readonly changes: readonly ConsentChange[];
}

/** A folder that changed since it was last considered. */
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
interface PublishedTool {
  readonly definition: ToolDefinition;
  readonly binding: ToolBinding;
  readonly source: "plugin" | "skill";
}

/** The registry's side of a swap: replaces everything that a plugin offers in one snapshot (SPEC R7). */
export interface Publish {
  replaceOwner(owner: string, tools: readonly PublishedTool[], standing?: OwnerStanding): unknown;
  removeOwner(owner: string): void;
  /** Returns whether the embedding program registers tools of that owner. */
  isProgram?(owner: string): boolean;
  /** Returns a similar tool of the program or of an MCP server. */
  lookAlike?(name: string): { readonly name: string; readonly owner: string } | undefined;
}

/** The user's settings for plugins that decide what can be called (SPEC G1). */
export interface PluginSwitches {
  /** Returns why no version with this manifest may serve. */
  problemsOf(manifest: Manifest): readonly Problem[];
  isEnabled(manifest: Manifest): boolean;
  /** Returns why one of its tools cannot be called. */
  disabledTool(manifest: Manifest, tool: string): string | undefined;
}

/** Whether a loaded version may replace the served one (SPEC H6). */
export type Admission =
  | Admitted
  | { readonly kind: "quarantine"; readonly reason: string; readonly changes: readonly ConsentChange[] }
  | { readonly kind: "refuse"; readonly problems: readonly Problem[] };

/** `changes` are those that the user accepted, or should be notified of. */
export interface Admitted {
  readonly kind: "admit";
  readonly changes?: readonly ConsentChange[];
  readonly consent?: "person" | "notice";
}

/** Decides which versions may serve, and remembers which did. */
export interface Gatekeeper {
  /** Limits above the defaults that the user accepted; none without an acceptance. */
  readonly acceptedLimits: AcceptedLimits;
  /**
   * Called once for every loaded version, before it can be called. `path` is its folder in its root; `clashes` are similar names of others.
   */
  admit(version: PluginVersion, path: string, clashes: readonly NameClash[]): Promise<Admission>;
  /** Returns what is known of a plugin of this name in this folder. A plugin that served before takes precedence over newcomers. */
  standing(plugin: string, path: string, directory: string): OwnerStanding;
  /** Returns whether the user gives, or gave, this version its plugin's name: then its folder takes precedence over all others. */
  nameOf(plugin: string, path: string, digest: string): "accepting" | "locked" | undefined;
  /** Called in the tick of the swap: the version serves from now on. */
  served(version: PluginVersion, path: string): void;
  /** Returns the accepted version with its bytes, for a plugin whose folder holds another one. */
  lastGood(version: PluginVersion, path: string): Promise<KeptVersion | undefined>;
}

/** A version with kept bytes, and their size. */
export interface KeptVersion {
  readonly version: PluginVersion;
  readonly bytes: number;
}
