import type { Host } from "../../host/mod.ts";

/** Accepts, as the user would, the limits that the host's plugins request. */
export async function acceptLimits(host: Host): Promise<void> {
  for (const { name, digest } of host.plugins()) {
    const isAsked = host.list({ plugin: name ?? "" }).some(({ lacking = [] }) => lacking.length > 0);
    if (name !== undefined && isAsked) await host.accept(name, digest ?? "");
  }
}
