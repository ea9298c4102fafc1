/** Options of all routes. */

import type { JsonObject, Manifest } from "../../manifests/mod.ts";
import type { Shares } from "../../sandbox/mod.ts";
import type { EmitEvent } from "../audit/events.ts";
import type { BridgeContext, OpenToolCalls } from "../capabilities/mod.ts";
import type { Secrets } from "../capabilities/secrets/secrets.ts";
import type { OpenPermissionAsks } from "../confirmations/permission-asks.ts";
import type { Undos } from "../effects/undo/undos.ts";
import type { Platform } from "../platform/platform.ts";
import type { DataFolders } from "./data-folders.ts";

type ReadPlain = NonNullable<BridgeContext["readPlain"]>;

/** Access of a route to the host. */
export interface RouteOptions {
  readonly platform: Platform;
  readonly emit: EmitEvent;
  readonly secrets: Pick<Secrets, "forCall" | "redact" | "redactBytes">;
  /** Returns the settings of a plugin version, frozen. Default: its schema's defaults. */
  readonly settings?: (manifest: Manifest) => JsonObject;
  /** Requests permissions from the user during calls; absent without a user. */
  readonly openAsks?: OpenPermissionAsks;
  /** Keeps what calls change, for undo; absent if nothing is kept. */
  readonly undos?: Pick<Undos, "keep" | "ended">;
  /** Opens a call's access to other tools; absent if there is none. */
  readonly openTools?: OpenToolCalls;
  /** KeyedQueue that the file operations of all calls share. Absent: no file operation waits. */
  readonly fileLimiter?: Shares;
  /** Reads plain files on a thread of their own. Absent: each file is read by itself. */
  readonly readPlain?: (owner: string, ...wanted: Parameters<ReadPlain>) => ReturnType<ReadPlain>;
  /** Absent: plugins have no data. */
  readonly dataFolders?: DataFolders;
}
