/** Shared parts of a door's handlers, and the caller that they serve. Types only. */

import type { Server } from "@modelcontextprotocol/server";
import type { CallOptions } from "../../dispatch/call-options.ts";
import type { Host } from "../../host/host-interface.ts";
import type { Platform } from "../../platform/platform.ts";
import type { HostSessionOptions } from "../../dispatch/sessions.ts";
import type { Changes } from "./changes.ts";
import type { Era, McpClient } from "./client.ts";
import type { LargeInputs } from "./large-inputs.ts";
import type { Marks } from "./marks.ts";
import type { McpPrompts } from "./prompts.ts";
import type { McpResources } from "./resources.ts";
import type { Rounds } from "./rounds.ts";

/** Options of a door. */
export interface McpDoorOptions {
  readonly host: Host;
  readonly platform: Pick<Platform, "clock" | "random" | "files" | "log" | "sha256" | "slices">;
  /** Session options of every client, such as role and workspace. A client cannot widen them. */
  readonly session?: HostSessionOptions;
  /** Maximum open legacy HTTP sessions per caller. Default 64. */
  readonly maxSessions?: number;
  /**
   * Milliseconds after which the stream of a waiting call is ended and the client reconnects for the rest, for proxies that cut long
   * connections. Applies to clients of 2025-11-25 over HTTP, which support it. Absent: streams stay open.
   */
  readonly pollAfterMs?: number;
  /** `refuse` if confirmations cannot be answered elsewhere. Default `pending`. */
  readonly unattended?: CallOptions["unattended"];
  /** Resources of the embedding program, beside plugins and the audit. */
  readonly resources?: readonly McpResources[];
  /** Prompts of the embedding program. */
  readonly prompts?: McpPrompts;
  /** The program as the user types it, for advice in errors. Default `bascule`. */
  readonly program?: string;
}

/** Parts that all clients of a door share. */
export interface DoorParts {
  readonly host: Host;
  readonly platform: McpDoorOptions["platform"];
  readonly session: HostSessionOptions;
  readonly unattended: CallOptions["unattended"];
  readonly pollAfterMs: number | undefined;
  /** Whether confirmations may be answered by the clients. */
  readonly confirms: boolean;
  readonly resources: readonly McpResources[];
  readonly prompts: McpPrompts | undefined;
  readonly program: string;
  readonly rounds: Rounds;
  readonly changes: Changes;
  readonly marks: Marks;
  readonly inputs: LargeInputs;
  /** Receives errors that no answer reports. */
  readonly onError: (error: unknown) => void;
  /** Whether so many bytes wait for the client that notices must be dropped. */
  readonly isBehind: () => boolean;
}

/** Caller of a request. */
export interface Caller {
  readonly parts: DoorParts;
  readonly client: McpClient;
  readonly era: Era;
  readonly server: Server;
}
