/** Decides which plugins may be loaded, given their dependencies (SPEC M7). Pure. */

import satisfies from "semver/functions/satisfies.js";
import type { Problem } from "../../../manifests/mod.ts";
import { compareText } from "../../primitives/digest.ts";

/** Facts about a plugin that others may depend on. */
export interface KnownPlugin {
  readonly version: string;
  /** Semver ranges by plugin name. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** `waiting`: not callable now, but its own folder has no problem. */
  readonly state: "serving" | "waiting" | "disabled" | "failed" | "quarantined";
}

/**
 * Returns why `name` cannot be loaded now; empty if every dependency is callable and in range.
 *
 * A cycle is reported with the names along it, before any other problem of its members.
 */
export function checkDependencies(
  name: string,
  dependencies: Readonly<Record<string, string>>,
  known: ReadonlyMap<string, KnownPlugin>,
): readonly Problem[] {
  const cycle = findCycle(name, dependencies, known);
  if (cycle !== undefined)
    return [dependencyProblem(cycle[1] ?? name, `Depends on itself: ${cycle.join(" → ")}`, "remove one of these dependencies")];
  return Object.entries(dependencies).flatMap(([needed, range]) => checkDependency(needed, range, known.get(needed)) ?? []);
}

/**
 * Sorts names so that every plugin comes after its dependencies; otherwise by name.
 *
 * Members of a cycle come last, because they cannot be loaded.
 */
export function loadOrder(plugins: ReadonlyMap<string, Pick<KnownPlugin, "dependencies">>): readonly string[] {
  const waiting = new Map<string, Set<string>>();
  for (const [name, { dependencies }] of plugins) {
    waiting.set(name, new Set(Object.keys(dependencies).filter((needed) => plugins.has(needed))));
  }
  const order: string[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, needs]) => needs.size === 0).map(([name]) => name);
    const next = (ready.length > 0 ? ready : [...waiting.keys()]).toSorted(compareText);
    for (const name of next) {
      order.push(name);
      waiting.delete(name);
    }
    for (const needs of waiting.values()) for (const name of next) needs.delete(name);
  }
  return order;
}

function checkDependency(needed: string, range: string, plugin: KnownPlugin | undefined): Problem | undefined {
  const wanted = `Needs plugin "${needed}" ${range}`;
  if (plugin === undefined) return dependencyProblem(needed, `${wanted}, which is not installed`, `add a plugin named "${needed}"`);
  if (plugin.state === "disabled") {
    return dependencyProblem(needed, `${wanted}, which is disabled`, `set "enabled" to true in the manifest of "${needed}"`);
  }
  if (plugin.state === "failed") return dependencyProblem(needed, `${wanted}, which failed`, `fix "${needed}" first`);
  if (plugin.state === "quarantined") return dependencyProblem(needed, `${wanted}, which waits to be accepted`, `accept "${needed}" first`);
  if (plugin.state === "waiting") return dependencyProblem(needed, `${wanted}, which is not loaded`, `see what "${needed}" waits for`);
  if (satisfies(plugin.version, range)) return undefined;
  return dependencyProblem(needed, `${wanted}, but version ${plugin.version} is loaded`, "widen the range, or change the version");
}

/** Returns the shortest cycle through `name`, as a list of names that starts and ends with it. */
function findCycle(
  name: string,
  dependencies: Readonly<Record<string, string>>,
  known: ReadonlyMap<string, KnownPlugin>,
): readonly string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [name];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    const needs = at === name ? dependencies : (known.get(at)?.dependencies ?? {});
    for (const needed of Object.keys(needs)) {
      if (needed === name) return trail(cameFrom, name, at);
      if (cameFrom.has(needed)) continue;
      cameFrom.set(needed, at);
      queue.push(needed);
    }
  }
  return undefined;
}

function trail(cameFrom: ReadonlyMap<string, string>, name: string, last: string): readonly string[] {
  const names = [name];
  for (let at: string | undefined = last; at !== undefined && at !== name; at = cameFrom.get(at)) names.unshift(at);
  return [name, ...names];
}

function dependencyProblem(needed: string, message: string, fix: string): Problem {
  return { severity: "error", pointer: `/dependencies/${needed}`, message, fix };
}
