/** Closes an open host. */

import type { HostStages } from "./host-stages.ts";
import { keptAlive } from "./kept-alive.ts";

/** Time that running calls have to end before they are cancelled. */
const DRAIN_MS = 2_000;

/** Returns the host's `close`: idempotent, because it closes once and returns the same promise from then on. */
export function closeOnce(stages: HostStages): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => (closing ??= keptAlive(stages.ground.platform.clock, close(stages)));
}

/** Calls end first, then what they use; events and their store last, because closing the others emits events. */
async function close({ ground, tools, plugins, policies, calls, sources }: HostStages): Promise<void> {
  const { bus, store, service, platform, places } = ground;
  const { consent, directory, mcp, sandbox } = plugins;
  policies.policies.close();
  sources.unwatchSettings();
  calls.resumed?.close();
  await calls.calls.close(DRAIN_MS);
  await calls.clusters.close();
  // Before the plugins are unloaded, because the lock includes their names.
  await consent.flush();
  await directory.close();
  await mcp.close();
  await consent.flush();
  await sandbox.close();
  await platform.databases.release(places.databases);
  calls.sessions.close();
  tools.announcing?.stop();
  bus.close();
  await store?.close();
  // The sandbox has answered: no call that is still kept acts any more. The journal has the end of all others.
  calls.lastingResults?.close();
  calls.lastingQuotas?.close();
  ground.mark?.release();
  ground.lasting?.close();
  await service.close();
  await ground.fileService.close();
  await platform.log.flush?.();
}
