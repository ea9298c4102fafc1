/** `fresh_seen`: cost of fresh state for the caller: the answer is sent first, the restore happens after it. */

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
    // The worker and the instance are the same, and were never restored.
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

/** A normal host, except that its first worker does not restore; the spare worker that is started later does, and is never used. */
export async function startWarmHost(): Promise<EchoHost> {
  return await withPreload("./keep-state.ts", async () => {
    const host = await startEchoHost();
    await host.echo();
    return host;
  });
}
