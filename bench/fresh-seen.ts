/** `fresh_seen`: what fresh state costs the caller: the answer goes first, the restore happens after it. */

import { type EchoHost, startEchoHost } from "./echo-host.ts";
import { againstInUs, type Bench, compareCalls, type Measured, mustBe } from "./measure.ts";
import { withPreload } from "./worker-preload.ts";

export const freshSeen: Bench = {
  id: "fresh_seen",
  async run(): Promise<Measured> {
    await using fresh = await startEchoHost();
    await using warm = await startWarmHost();
    await mustRemember(fresh, [1, 1]);
    await mustRemember(warm, [1, 2]);
    const times = await compareCalls({ warm: () => warm.echo(), fresh: () => fresh.echo() });
    // Still the same worker and instance, and still never restored.
    await mustRemember(warm, [3, 4]);
    return againstInUs(times, "fresh", "warm");
  },
};

let keys = 0;

export async function mustRemember(host: EchoHost, wanted: readonly number[]): Promise<void> {
  const sizes: unknown[] = [];
  for (const _ of wanted) sizes.push(await host.remember(`key ${keys++}`));
  mustBe(sizes, wanted);
}

/** A host like any other, whose first worker does not restore; the spare that is started later does, and is never used. */
export async function startWarmHost(): Promise<EchoHost> {
  return await withPreload("./keep-state.ts", async () => {
    const host = await startEchoHost();
    await host.echo();
    return host;
  });
}
