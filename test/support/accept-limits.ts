import type { Host } from "../../host/mod.ts";

/** A person's yes to the limits that the plugins here ask for. */
export async function acceptLimits(host: Host): Promise<void> {
  for (const { name, digest } of host.plugins()) {
    const isAsked = host.list({ plugin: name ?? "" }).some(({ lacking = [] }) => lacking.length > 0);
    if (name !== undefined && isAsked) await host.accept(name, digest ?? "");
  }
}
