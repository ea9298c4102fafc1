/**
 * A bridge is a capability's host half: it answers the guest's operations of one prefix (`fs.`, `env.`, …).
 *
 * A capability is one file and one line in `mod.ts`; every bridge passes `test/conformance/bridge.ts`.
 */

import type { AccessQuery, JsonValue } from "../../manifests/mod.ts";
import type { Holder, HostAnswer, Room } from "../../sandbox/mod.ts";
import type { Acts } from "./acts.ts";
import type { Grant } from "../call/grant.ts";
import type { OpenFiles } from "./files/open-files.ts";
import type { Platform } from "../platform/platform.ts";
import type { Meter } from "../call/meter.ts";
import type { CallSecrets } from "./secrets/call-secrets.ts";
import type { Exchanges } from "./network/net-exchanges.ts";
import type { ToolCalls } from "./tool-calls.ts";

/** What a bridge knows about the call it serves. Made by the host, never from anything the guest sent. */
export interface BridgeContext {
  readonly plugin?: string;
  /** In whose share it is counted, beside the plugin's: connections, open files, programs. */
  readonly holder: Holder;
  readonly callId: string;
  readonly grant: Grant;
  /** Where relative paths of acts resolve: the session's workspace (SPEC C4). */
  readonly cwd: string;
  /** `cwd` by the link that a person named it by. */
  readonly named?: string;
  readonly platform: Platform;
  readonly limits: { readonly operationBytes: number };
  /** The files that the call holds open. Absent where it can open none. */
  readonly openFiles?: OpenFiles;
  /** The operations under way. */
  readonly acts: Acts;
  /** Aborted when the call is cancelled, and when it ends. */
  readonly signal: AbortSignal;
  /** The call's requests that are under way; all are closed at its end. */
  readonly exchanges: Exchanges;
  /** Counts requests and bytes; what it refuses is not done (SPEC D9). */
  readonly meter: Meter;
  /** Variables that are handed over by reference (SPEC C7). */
  readonly secrets: CallSecrets;
  /** Files of the plugin's own version: reading `/$plugin/…` needs no grant (SPEC B9). */
  readonly ownFiles?: ReadonlyMap<string, Uint8Array>;
  /** How it calls other tools. Absent where it asks for none. */
  readonly tools?: ToolCalls;
  /** Asks the call's person for a permission that only a grant is missing for; true if the call holds it from then on. Absent where nobody can be asked. */
  readonly ask?: (wanted: AccessQuery) => Promise<boolean>;
  /** Called for each act that was allowed or refused (SPEC C10, PA8). */
  readonly record: (act: CapabilityAct) => void;
  /** Called with the workspace-relative or absolute path of each file that was written. */
  readonly modified: (path: string) => void;
}

/** One act that was checked, as the audit shows it. */
export interface CapabilityAct {
  readonly decision: "granted" | "denied";
  readonly permission: string;
  readonly value: string;
  readonly layer: string;
  readonly rule?: string;
  /** Of a request. */
  readonly method?: string;
  /** A server or a name's addresses led there: the guest did not name it. */
  readonly isLed?: true;
}

/** @returns an answer for every input, hostile ones included; rejects only for our own bugs. */
export type OperationHandler = (args: JsonValue, bytes: Uint8Array | undefined, context: BridgeContext, room?: Room) => Promise<HostAnswer>;

/** A capability's host half: its operations by name. */
export interface Bridge {
  /** `fs`, `env`, `permissions`, … */
  readonly name: string;
  readonly operations: Readonly<Record<string, OperationHandler>>;
}
