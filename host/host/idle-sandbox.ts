/** The sandbox of a host without plugin roots: it never loads a plugin, so no worker is started. */

import type { Sandbox } from "../../sandbox/mod.ts";

export function createIdleSandbox(): Sandbox {
  const refuse = async (): Promise<never> => {
    throw new Error("This host has no plugin roots, so its sandbox runs nothing");
  };
  return { load: refuse, invoke: refuse, unload: () => {}, endSession: () => {}, close: async () => {} };
}
