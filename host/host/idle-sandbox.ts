/** The sandbox of a host without plugin roots: nothing is ever loaded, so no worker is started. */

import type { Sandbox } from "../../sandbox/mod.ts";

export function createIdleSandbox(): Sandbox {
  const refuse = async (): Promise<never> => {
    throw new Error("This host has no plugin roots, so there is nothing to run in a sandbox");
  };
  return { load: refuse, invoke: refuse, unload: () => {}, endSession: () => {}, close: async () => {} };
}
