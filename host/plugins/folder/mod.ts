/** Plugins from folders: discovers and loads them, and reloads them when they change on the disk. */

export { discover } from "./discover.ts";
export type { Discovery, FoundFolder, Place } from "./discover.ts";

export { createPluginDirectory } from "./reload.ts";
export type { PluginDirectory, PluginDirectoryOptions } from "./reload.ts";
export { SETTLE_TIMING } from "./settle.ts";
export { realDirectoryOf } from "./status.ts";
export type { SettleTiming } from "./settle.ts";
export type {
  Admission,
  Gatekeeper,
  HeldVersion,
  KeptVersion,
  PluginChange,
  PluginError,
  PluginEvent,
  PluginState,
  PluginStatus,
  PluginSwitches,
  Publish,
} from "./status.ts";
