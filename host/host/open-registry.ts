/** Stage of a host: the registry of tools, and the project's own tools. */

import { announceTools } from "../audit/announce-tools.ts";
import { createProjectTools, type ProjectTools } from "../sources/project-tools.ts";
import { createRegistry, type Registry } from "../tools/registry.ts";
import { EMPTY_SNAPSHOT, type Snapshot } from "../tools/snapshot.ts";
import type { HostOptions } from "./host-options.ts";
import type { GroundStage } from "./open-ground.ts";

export interface RegistryStage {
  /** Undefined if the host was created without a registry; then the two below are, too. */
  readonly registry: Registry | undefined;
  /** Emits events for added and removed tools until it is stopped. */
  readonly announcing: { stop(): void } | undefined;
  readonly projectTools: ProjectTools | undefined;
  /** Returns the current tools; none without a registry. */
  readonly snapshot: () => Snapshot;
}

export function openRegistry({ platform, places, bus }: GroundStage, options: HostOptions): RegistryStage {
  const { log, random } = platform;
  const registry =
    options.registry === null
      ? undefined
      : (options.registry ?? createRegistry({ newId: random.uuidv7, onWarning: ({ message }) => log.write("warn", message) }));
  return {
    registry,
    announcing: registry && announceTools(registry, bus.emit),
    projectTools: registry && createProjectTools({ platform, places, registry }),
    snapshot: () => registry?.snapshot() ?? EMPTY_SNAPSHOT,
  };
}
