/**
 * A bridge is a capability's host half: it answers the guest's operations with one prefix (`fs.`, `env.`, …).
 *
 * A capability is one file and one line in `mod.ts`; every bridge passes `test/conformance/bridge.ts`.
 */

import type { AccessQuery, JsonValue } from "../../manifests/mod.ts";
import type { Holder, HostAnswer, Room } from "../../sandbox/mod.ts";
import type { Acts } from "./acts.ts";
import type { Grant } from "../call/grant.ts";
import type { OpenFiles } from "./files/open-files.ts";
import type { PlainReadLimits } from "../platform/files/file-types.ts";
import type { Platform } from "../platform/platform.ts";
import type { Meter } from "../call/meter.ts";
import type { CallSecrets } from "./secrets/call-secrets.ts";
import type { Exchanges } from "./network/net-exchanges.ts";
import type { ToolCalls } from "./tool-calls.ts";

/** The call that a bridge serves. Created by the host, never from guest data. */
export interface BridgeContext {
  readonly plugin?: string;
  /** Owner of the call's connections, open files and programs, besides the plugin. */
  readonly holder: Holder;
  readonly callId: string;
  readonly grant: Grant;
  /** Base of relative paths: the session's workspace (SPEC C4). */
  readonly cwd: string;
  /** The symbolic link by which the user named `cwd`, if any. */
  readonly named?: string;
  readonly platform: Platform;
  readonly limits: { readonly operationBytes: number };
  /**
   * Reads many checked files at once, those that are plain (`Files.readPlain`). Absent in a dry run, whose files are others.
   *
   * @returns undefined for each file that is to be read in the usual way
   */
  readonly readPlain?: (paths: readonly string[], limits: PlainReadLimits) => Promise<readonly (Uint8Array | undefined)[]>;
  /** The plugin's data in the project. Absent: the tool belongs to no plugin. */
  readonly data?: PluginData;
  /** The call's open files. Absent if it cannot open any. */
  readonly openFiles?: OpenFiles;
  /** The running operations. */
  readonly acts: Acts;
  /** Aborted when the call is cancelled, and when it ends. */
  readonly signal: AbortSignal;
  /** The call's running requests; all are closed when it ends. */
  readonly exchanges: Exchanges;
  /** Counts requests and bytes, and refuses those above a quota (SPEC D9). */
  readonly meter: Meter;
  /** Variables that are passed by reference (SPEC C7). */
  readonly secrets: CallSecrets;
  /** Files of the plugin's version: reading `/$plugin/…` needs no grant (SPEC B9). */
  readonly ownFiles?: ReadonlyMap<string, Uint8Array>;
  /** Calls other tools. Absent if the plugin requests none. */
  readonly tools?: ToolCalls;
  /**
   * Asks the user for a permission that lacks only a grant. Returns true if the call holds it from then on. Absent if asking is not
   * possible.
   */
  readonly ask?: (wanted: AccessQuery) => Promise<boolean>;
  /** Called for each act that was allowed or refused (SPEC C10, PA8). */
  readonly record: (act: CapabilityAct) => void;
  /** Called with the path of each written file, workspace-relative or absolute. */
  readonly modified: (path: string) => void;
}

/** Where a plugin's data lie. */
interface PluginData {
  /** Absolute path of `$data`. */
  readonly folder: string;
  /** Absolute path of the folder of its database, which no tool may touch. */
  readonly database: string;
  /** Maximum size of the database. */
  readonly quotaBytes: number;
  /** Whether the call may change nothing. */
  readonly isDryRun: boolean;
}

/** One checked act, for the journal. */
export interface CapabilityAct {
  readonly decision: "granted" | "denied";
  readonly permission: string;
  readonly value: string;
  readonly layer: string;
  readonly rule?: string;
  /** HTTP method of a request. */
  readonly method?: string;
  /** Set if a redirect or a resolved address led there: the guest did not name it. */
  readonly isLed?: true;
}

/** @returns an answer for every input, also a hostile one; rejects only for bugs in the host */
export type OperationHandler = (args: JsonValue, bytes: Uint8Array | undefined, context: BridgeContext, room?: Room) => Promise<HostAnswer>;

/** A capability's host half: its operations by name. */
export interface Bridge {
  /** `fs`, `env`, `permissions`, … */
  readonly name: string;
  readonly operations: Readonly<Record<string, OperationHandler>>;
}
