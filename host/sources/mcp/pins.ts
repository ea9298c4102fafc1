/** What of servers' tools a person has accepted, in `bascule.lock`: a changed one is not offered until somebody agrees (SPEC K3, H6, H7). */

import { type Compared, compareVersions, type ConsentChange } from "../../plugins/consent/changes.ts";
import type { Consent } from "../../plugins/consent/consent.ts";
import { sorted } from "../../plugins/consent/surface.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import type { JsonObject } from "../../../manifests/mod.ts";
import type { ServerTool } from "./definitions.ts";

/** Tools as they were accepted, by the server's own names: all that a server says of them. */
export type Pins = ReadonlyMap<string, JsonObject>;

/** The pins of one project. */
export interface PinStore {
  /** Undefined if the server has never been seen. A frozen host has seen whatever the lock has. */
  read(server: string): Promise<Pins | undefined>;
  /** In place of what was pinned for the server. @throws {Error} if the host is frozen, or the lock cannot be written. */
  write(server: string, pins: Pins): Promise<void>;
  /** Nothing is accepted but what is in the lock. */
  readonly frozen: boolean;
}

/** Of one server, as the lock has it: a flood of definitions is not kept. */
const MAX_PINNED_CHARACTERS = 1024 * 1024;

export function createPinStore({ lock, frozen, refresh }: Pick<Consent, "lock" | "frozen" | "refresh">): PinStore {
  return {
    frozen,
    async read(server) {
      // Another host, or version control, may have written it.
      await refresh();
      return lock.servers().get(server)?.tools ?? (frozen ? new Map() : undefined);
    },
    async write(server, pins) {
      if (frozen) throw new Error("This host is frozen to bascule.lock, and accepts nothing");
      await lock.changeServer(server, (before) => ({ ...before, tools: pins }));
    },
  };
}

/** A tool's parts as they are pinned. */
export function pinOf(parts: JsonObject): JsonObject {
  return sorted(parts) as JsonObject;
}

/** Counts what a server's tools take of the lock, and says why one more is too much. */
export function createPinBudget(): (parts: JsonObject) => string | undefined {
  let total = 0;
  return (parts) => {
    // As the lock has it: indented, which makes much of what is nested deep. What is too much already is written no more.
    if (total <= MAX_PINNED_CHARACTERS) total += JSON.stringify(parts, undefined, 2).length;
    return total > MAX_PINNED_CHARACTERS ? `the server's definitions take more than ${MAX_PINNED_CHARACTERS / 1024 / 1024} MiB` : undefined;
  };
}

/** The parts that are not as they were pinned. */
export function changedParts(before: JsonObject, now: JsonObject): readonly string[] {
  const parts = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...parts].filter((part) => !equalJson(before[part] ?? null, now[part] ?? null));
}

/** What is new in tools that wait, as it is shown for versions of plugins. Under the names that they are offered by. */
export function pinChanges(server: string, pins: Pins, tools: readonly ServerTool[]): readonly ConsentChange[] {
  const surface = (partsOf: (one: ServerTool) => JsonObject | undefined): Compared => ({
    name: server,
    surface: {
      permissions: {},
      limits: {},
      tools: Object.fromEntries(
        tools.flatMap((one) => {
          const parts = partsOf(one);
          // What it does is the person's own judgment, before and now.
          return parts === undefined ? [] : [[one.definition.name, { ...parts, sideEffects: [...one.definition.sideEffects] }]];
        }),
      ),
    },
  });
  return compareVersions(
    surface(({ tool }) => pins.get(tool.name)),
    surface(({ parts }) => pinOf(parts)),
  );
}
