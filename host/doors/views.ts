/**
 * Types of the answers that a user's page reads: of charts, clients, access, policy, versions, logs, tests and replays (SPEC I5).
 *
 * The console's program reads them too. So this file imports only what compiles with a browser's types.
 */

import type { AccessState, PermissionKind } from "../../manifests/mod.ts";
import type { CallSeries, HistoryRange, PluginTotals } from "../audit/telemetry/call-history.ts";
import type { FileOutcome, TestError, TestOutcome } from "../testing/outcome.ts";

/** The host's load at one moment. */
export interface Load {
  readonly memoryBytes: number;
  readonly busy: number;
  readonly queued: number;
  readonly confirmations: number;
}

/** Values per step, the oldest first; null where nothing was sampled. */
type LoadSeries = { readonly [K in keyof Load]: readonly (number | null)[] };

/** All charts of one range. */
export interface MetricsHistoryView extends LoadSeries, CallSeries {
  readonly range: HistoryRange;
  /** Time of the first step. */
  readonly from: number;
  readonly stepMs: number;
  readonly overall: Omit<PluginTotals, "plugin" | "series">;
  readonly plugins: readonly PluginTotals[];
  /** Parts of the journal that cannot be read, so that calls may be missing. */
  readonly damage: number;
}

/** A resource that a plugin requests or holds. `text` may be an author's text. */
export interface MapResource {
  readonly kind: PermissionKind;
  /** As written: `$workspace/docs`, `api.example.com`. */
  readonly text: string;
  /** The plugin that a resource of its own belongs to, such as its `$data` folder. */
  readonly own?: string;
}

/** A plugin's access to a resource. Cells without request, grant or access are left out. */
export interface MapCell {
  readonly plugin: string;
  /** Index in `resources`. */
  readonly resource: number;
  /** The most that one of its tools gets. */
  readonly state: AccessState;
  /** Whether each call is confirmed by the user first. */
  readonly asks: boolean;
  /** The layer that decided, and its rule. */
  readonly layer: string;
  readonly rule?: string;
  readonly requested: boolean;
  readonly granted: boolean;
  /** Acts in the last week. */
  readonly used: number;
}

export interface PermissionMap {
  readonly plugins: readonly string[];
  readonly resources: readonly MapResource[];
  readonly cells: readonly MapCell[];
  /** Resources above the maximum. */
  readonly left: number;
}

/** One decision that the edit changes. */
export interface PolicyChange {
  readonly tool: string;
  readonly role?: string;
  /** Absent for a change of the tool's decision as a whole. `value` is the guest's own text. */
  readonly act?: { readonly kind: string; readonly value: string; readonly method?: string };
  /** `allowed`, `asks`, `denied` or `unavailable`; for an act `granted`, `prompt` or `denied`. */
  readonly before: string;
  readonly after: string;
  /** Other parts of the tool's decision that differ: `route`, `limits`, `permissions`, `quotas`. */
  readonly also: readonly string[];
  /** The rule that decides after the edit. */
  readonly because: string;
  /** Whether the edit gives more than before. */
  readonly widens: boolean;
  /** Recorded calls, or acts, of the last week that had this decision. */
  readonly count: number;
}

/** All decisions that an edit changes. */
export interface PolicyCheck {
  readonly changes: readonly PolicyChange[];
  /** Changes above the maximum. */
  readonly left: number;
  /** Calls of the last week that were compared, and how many of them would be decided differently. */
  readonly calls: number;
  readonly changedCalls: number;
  /** Calls and acts of the last week, and decisions of tools, that were not compared: too many, or in a part of the journal that cannot be read. */
  readonly notCompared: number;
  readonly since: number;
}

/** A session that called, or was opened, since the server started. */
export interface ConnectedSession {
  readonly sessionId: string;
  /** How the client reaches the host. Absent for the embedding program, and for sessions older than the server. */
  readonly door?: string;
  /** The client's own name: a token's, or what an MCP client says of itself. */
  readonly client?: string;
  readonly role?: string;
  readonly workspace?: string;
  readonly openedAt?: number;
  readonly closedAt?: number;
  /** Time of its last call's beginning or end. */
  readonly lastCallAt?: number;
  readonly calls: number;
  readonly failed: number;
  readonly denied: number;
  readonly running: number;
  readonly lastTool?: string;
}

/** A finished run. Names and errors are the guest's own text. */
export interface TestRunView {
  readonly plugin: string;
  /** Version that was tested. */
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly ms: number;
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  readonly files: readonly FileView[];
  /** Whether the run was ended before all tests had run. */
  readonly isCut: boolean;
}

interface FileView {
  readonly file: string;
  readonly kind: FileOutcome["kind"];
  readonly error?: TestError;
  readonly results: readonly TestView[];
}

export interface TestView extends Pick<TestOutcome, "name" | "status" | "ms"> {
  readonly place?: string;
  readonly error?: TestError;
}

/** Outcome of a replay. */
export interface ReplayView {
  readonly kind: "same" | "different";
  /** The version of the plugin that ran. */
  readonly version: "recorded" | "current";
  /** Hash of the recorded version. */
  readonly digest: string;
  /** The differences as `bascule replay` shows them, one a line. The guest's texts are escaped. */
  readonly lines: readonly string[];
}

/** A problem of an edited `bascule.json`. */
export interface PolicyProblem {
  readonly pointer: string;
  readonly message: string;
  readonly fix?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** `bascule.json` as it is on disk. */
export interface PolicyText {
  readonly path: string;
  readonly text: string;
  readonly digest: string;
}

/** `serving`: its tools can be called. `folder`: on disk, and not serving. `kept`: for a rollback. */
export interface SourceVersion {
  readonly digest: string;
  readonly version?: string;
  readonly state: "serving" | "folder" | "kept";
}

/** A file of a version; its text only if it was asked for and is text. */
export interface SourceFile {
  readonly path: string;
  readonly bytes: number;
  readonly text?: string;
}

/** A file that two versions do not share. */
export interface SourceChange {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly before?: number;
  readonly after?: number;
  readonly diff?: string;
}

/** A line of a plugin's log. `text` is the guest's own text if `isGuest`. */
export interface LogLine {
  readonly time: number;
  readonly level: string;
  readonly text: string;
  readonly isGuest: boolean;
  readonly tool?: string;
  readonly callId?: string;
}
