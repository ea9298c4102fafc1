/** What comes of one of Deno's permission checks. Types only. */

import type { AccessQuery } from "../../../manifests/mod.ts";
import type { BridgeContext, CapabilityAct } from "../../capabilities/bridge.ts";

/** Whether it may be done, and the act to record; `reason` reaches the plugin. */
export type CheckAnswer =
  | { readonly ok: true; readonly act: CapabilityAct; readonly query: AccessQuery }
  | { readonly ok: false; readonly act: CapabilityAct; readonly reason: string };

export type CheckContext = Pick<BridgeContext, "grant" | "cwd" | "platform" | "plugin" | "holder" | "signal">;
