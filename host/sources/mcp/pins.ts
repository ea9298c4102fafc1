/** Stores the accepted tools of servers in `bascule.lock`: a changed tool is not offered until the user accepts it (SPEC K3, H6, H7). */

import type { ConsentChange } from "../../plugins/consent/change.ts";
import { type Compared, compareVersions } from "../../plugins/consent/changes.ts";
import type { Consent } from "../../plugins/consent/consent.ts";
import { sorted } from "../../plugins/consent/declared.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import type { JsonObject } from "../../../manifests/mod.ts";
import type { ServerTool } from "./definitions.ts";

/** Accepted tools with their whole definitions, by the server's own names. */
export type Pins = ReadonlyMap<string, JsonObject>;

/** The pins of one project. */
export interface PinStore {
  /** Returns undefined if the server has never been seen. For a frozen host, the lock is complete. */
  read(server: string): Promise<Pins | undefined>;
  /**
   * Replaces the pins of a server.
   * @throws {Error} if the host is frozen, or the lock cannot be written
   */
  write(server: string, pins: Pins): Promise<void>;
  /** True if only the contents of the lock are accepted. */
  readonly frozen: boolean;
}

/** Maximum size of one server's definitions in the lock. */
const MAX_PINNED_CHARACTERS = 1024 * 1024;

export function createPinStore({ lock, frozen, refresh }: Pick<Consent, "lock" | "frozen" | "refresh">): PinStore {
  return {
    frozen,
    async read(server) {
      // Another host, or version control, may have changed the lock.
      await refresh();
      return lock.servers().get(server)?.tools ?? (frozen ? new Map() : undefined);
    },
    async write(server, pins) {
      if (frozen) throw new Error("This host is frozen to bascule.lock and accepts nothing");
      await lock.changeServer(server, (before) => ({ ...before, tools: pins }));
    },
  };
}

/** Returns a tool's parts in their pinned form. */
export function pinOf(parts: JsonObject): JsonObject {
  return sorted(parts) as JsonObject;
}

/** Counts the size of a server's tools in the lock. The returned function gives the reason if a tool exceeds it. */
export function createPinBudget(): (parts: JsonObject) => string | undefined {
  let total = 0;
  return (parts) => {
    // Counts the indented form, as in the lock, which is larger for nested values. Beyond the bound nothing more is serialised.
    if (total <= MAX_PINNED_CHARACTERS) total += JSON.stringify(parts, undefined, 2).length;
    return total > MAX_PINNED_CHARACTERS ? `the server's definitions take more than ${MAX_PINNED_CHARACTERS / 1024 / 1024} MiB` : undefined;
  };
}

/** Returns the names of the parts that differ from the pin. */
export function changedParts(before: JsonObject, now: JsonObject): readonly string[] {
  const parts = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...parts].filter((part) => !equalJson(before[part] ?? null, now[part] ?? null));
}

/** Returns the changes of waiting tools, in the form of plugin versions, under their offered names. */
export function pinChanges(server: string, pins: Pins, tools: readonly ServerTool[]): readonly ConsentChange[] {
  const declared = (partsOf: (one: ServerTool) => JsonObject | undefined): Compared => ({
    name: server,
    declared: {
      permissions: {},
      limits: {},
      tools: Object.fromEntries(
        tools.flatMap((one) => {
          const parts = partsOf(one);
          // Side effects are the user's own declaration, before and after.
          return parts === undefined ? [] : [[one.definition.name, { ...parts, sideEffects: [...one.definition.sideEffects] }]];
        }),
      ),
    },
  });
  return compareVersions(
    declared(({ tool }) => pins.get(tool.name)),
    declared(({ parts }) => pinOf(parts)),
  );
}
