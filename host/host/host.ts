/** The composition root: opens a host stage by stage. Only this room connects the parts of the host (SPEC I1). */

import { currentPlatform } from "../platform/current.ts";
import type { Platform } from "../platform/platform.ts";
import { checkOptions } from "./check-options.ts";
import { createFacade } from "./facade.ts";
import type { Host } from "./host-interface.ts";
import type { HostOptions } from "./host-options.ts";
import { keptAlive } from "./kept-alive.ts";
import { openCalls, openEarlier } from "./open-calls.ts";
import { openConfirmations } from "./open-confirmations.ts";
import { openEffects } from "./open-effects.ts";
import { openGrants } from "./open-grants.ts";
import { openGround } from "./open-ground.ts";
import { openPlugins } from "./open-plugins.ts";
import { openPolicies } from "./open-policies.ts";
import { openRegistry } from "./open-registry.ts";
import { startSources } from "./start-sources.ts";

/**
 * Creates a host and loads its plugins.
 *
 * @throws {TypeError} if an option is invalid.
 * @throws {ProjectConfigError} if `bascule.json` is invalid.
 * @throws {LockFileError} if `bascule.lock` is invalid, or is missing for a frozen host.
 * @throws {ToolRegistrationError} if one of `tools` is invalid.
 * @example
 * ```ts
 * import { createHost } from "bascule";
 * await using host = await createHost({ config: false });
 * const result = await host.call("echo", { text: "hello" });
 * console.log(result.ok, result.output); // true { text: "hello" }
 * ```
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  checkOptions(options);
  const given = options.platform ?? currentPlatform();
  return await keptAlive(given.clock, openHost(given, options));
}

/** Opens the stages in their order: each gets only stages that are open. */
async function openHost(given: Platform, options: HostOptions): Promise<Host> {
  // Closes the open stages, the last one first, if a later one fails: the caller gets no host that it could close.
  await using opened = new AsyncDisposableStack();
  const ground = await openGround(given, options, opened);
  const rights = await openGrants(ground, options);
  const tools = openRegistry(ground, options);
  const plugins = await openPlugins({ ground, rights, tools }, options, opened);
  const policies = openPolicies({ ground, rights, tools, plugins }, options);
  const confirmations = openConfirmations({ ground, tools, policies });
  const effects = openEffects({ ground, confirmations }, options);
  const calls = await openCalls({ ground, tools, plugins, policies, confirmations, effects }, options);
  const sources = await startSources({ ground, rights, tools, plugins, policies, calls }, options);
  await openEarlier(ground, calls);
  const host = createFacade({ ground, rights, tools, plugins, policies, confirmations, effects, calls, sources });
  // The host's own `close` closes them from now on.
  opened.move();
  return host;
}
