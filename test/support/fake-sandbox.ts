/** A sandbox in which functions of the test stand in for plugins. */

import type { ImageLease } from "../../host/routes/wasm.ts";
import type { PluginVersion } from "../../host/tools/tool.ts";
import type { Invocation, InvocationOutcome, InvocationUsed } from "../../sandbox/mod.ts";

/** An export as a function that returns what the sandbox would return. */
export type FakeGuest = (invocation: Invocation) => Promise<InvocationOutcome> | InvocationOutcome;

export interface FakeSandbox {
  /** Guests by the name of their export. */
  readonly guests: Map<string, FakeGuest>;
  readonly invocations: Invocation[];
  /** Digests of versions that are leased. */
  readonly leased: string[];
  invoke(invocation: Invocation): Promise<InvocationOutcome>;
  lease(version: PluginVersion): ImageLease;
}

export const USED: InvocationUsed = { wallMs: 5, cpuMs: 4, memoryBytes: 1_000, outputBytes: 10, logBytes: 0, operations: 0, fuel: 7 };

export function fakeSandbox(guests: Readonly<Record<string, FakeGuest>> = {}): FakeSandbox {
  const leased: string[] = [];
  const invocations: Invocation[] = [];
  const byExport = new Map(Object.entries(guests));
  return {
    guests: byExport,
    invocations,
    leased,
    async invoke(invocation) {
      invocations.push(invocation);
      const guest = byExport.get(invocation.export);
      if (guest === undefined)
        return {
          ok: false,
          fault: { kind: "no_export", module: invocation.module, export: invocation.export, available: [...byExport.keys()] },
          used: USED,
        };
      return await guest(invocation);
    },
    lease(version) {
      leased.push(version.digest);
      return {
        ready: Promise.resolve({ ok: true, loadMs: 0, imageBytes: 0 }),
        release: () => void leased.splice(leased.indexOf(version.digest), 1),
      };
    },
  };
}

/** Creates a guest that returns this value. */
export function returns(output: Invocation["args"]): FakeGuest {
  return () => ({ ok: true, output: { o: output }, used: USED });
}
