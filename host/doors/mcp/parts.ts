/** What the handlers of one door have in common, and who is served by them. Types only. */

import type { Server } from "@modelcontextprotocol/server";
import type { CallOptions } from "../../dispatch/calls.ts";
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

/** What a door is made with. */
export interface McpDoorOptions {
  readonly host: Host;
  readonly platform: Pick<Platform, "clock" | "random" | "files" | "log" | "sha256" | "slices">;
  /** What every client's session is: its role, its workspace. Nothing that a client says widens it. */
  readonly session?: HostSessionOptions;
  /** Sessions of one caller over HTTP that may be open at once, of the older revisions; default 64. */
  readonly maxSessions?: number;
  /**
   * After so long the stream on which a call is waited for is ended, and the client comes back for the rest: where something in between
   * ends connections that take long. For clients of 2025-11-25 over HTTP, which know how; absent: streams stay open.
   */
  readonly pollAfterMs?: number;
  /** For a host whose questions nobody can answer from elsewhere: `refuse`. Default `pending`. */
  readonly unattended?: CallOptions["unattended"];
  /** What the embedding program lets clients read, beside plugins and the audit. */
  readonly resources?: readonly McpResources[];
  /** What the embedding program offers as prompts. */
  readonly prompts?: McpPrompts;
}

/** A door's parts, for all its clients. */
export interface DoorParts {
  readonly host: Host;
  readonly platform: McpDoorOptions["platform"];
  readonly session: HostSessionOptions;
  readonly unattended: CallOptions["unattended"];
  readonly pollAfterMs: number | undefined;
  /** Whether what its clients answer counts as a person's word. */
  readonly confirms: boolean;
  readonly resources: readonly McpResources[];
  readonly prompts: McpPrompts | undefined;
  readonly rounds: Rounds;
  readonly changes: Changes;
  readonly marks: Marks;
  readonly inputs: LargeInputs;
  /** Told of what goes wrong outside of any answer. */
  readonly onError: (error: unknown) => void;
  /** Whether so much waits for the client that it is told nothing that it can do without. */
  readonly isBehind: () => boolean;
}

/** Whom a request is answered for. */
export interface Caller {
  readonly parts: DoorParts;
  readonly client: McpClient;
  readonly era: Era;
  readonly server: Server;
}
