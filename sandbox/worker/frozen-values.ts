/**
 * Times and random numbers that top-level code takes. They become part of the plugin's image, so they are the same in every call and in
 * every installation (SPEC AX6). Only code that runs while the plugin loads is noted, with its line.
 */

import type { Frame } from "../engine/call-stack.ts";
import type { ModuleTable } from "../loading/modules.ts";
import { type LoadWarning, MAX_LOAD_WARNINGS } from "../wire/fault.ts";

const PLUGIN = "file:///$plugin/";
const PRELUDE = "bascule:";
/** Bound of the places that are looked at, because each costs a position. */
const MAX_LOOKS = 1_000;

export class FrozenValues {
  readonly warnings: LoadWarning[] = [];
  readonly #modules: Pick<ModuleTable, "authorStack">;
  readonly #stack: () => readonly Frame[];
  readonly #places: Set<string> = new Set();
  #looks = 0;

  constructor(modules: Pick<ModuleTable, "authorStack">, stack: () => readonly Frame[]) {
    this.#modules = modules;
    this.#stack = stack;
  }

  /** Notes that the guest takes a value now. Each line is noted once. */
  note(source: "Math.random" | "crypto" | "Date"): void {
    if (this.warnings.length >= MAX_LOAD_WARNINGS || this.#looks++ >= MAX_LOOKS) return;
    const stack = this.#stack();
    const index = stack.findIndex(({ file }) => file.startsWith(PLUGIN));
    const frame = stack[index];
    if (frame === undefined) return;
    const callees = stack.slice(0, index);
    // The sandbox's own APIs read the clock too, for example to start a timer.
    if (source === "Date" && callees.some(({ file }) => file.startsWith(PRELUDE))) return;
    const key = `${frame.file}:${frame.line}:${frame.column}`;
    if (this.#places.has(key)) return;
    this.#places.add(key);
    const [, file = "", line = "1", column = "1"] = /^\((.+):(\d+):(\d+)\)$/.exec(this.#modules.authorStack(`(${key})`)) ?? [];
    if (file === "") return;
    this.warnings.push({ source: nameOf(source, callees.at(-1)?.name ?? ""), file, line: Number(line), column: Number(column) });
  }
}

/** Returns the call as the author wrote it. @param callee name of the function that the plugin called */
function nameOf(source: "Math.random" | "crypto" | "Date", callee: string): string {
  if (source === "Math.random") return "Math.random()";
  if (source === "crypto") return callee === "getRandomValues" || callee === "randomUUID" ? `crypto.${callee}()` : "A random value";
  return callee === "now" ? "Date.now()" : "new Date()";
}
