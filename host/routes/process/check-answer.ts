/** Answer to one of Deno's permission checks. Types only. */

import type { AccessQuery } from "../../../manifests/mod.ts";
import type { BridgeContext, CapabilityAct } from "../../capabilities/bridge.ts";

/** Whether the act is allowed, and the act to record. The plugin sees `reason`. */
export type CheckAnswer =
  | { readonly ok: true; readonly act: CapabilityAct; readonly query: AccessQuery }
  | { readonly ok: false; readonly act: CapabilityAct; readonly reason: string };

export type CheckContext = Pick<BridgeContext, "grant" | "cwd" | "platform" | "plugin" | "holder" | "signal">;
