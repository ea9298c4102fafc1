/** Observes one call: reads the guest's stack when it sends an operation and when the engine polls (`wire/observed.ts`). */

import type { Frame } from "../../engine/call-stack.ts";
import type { ModuleTable } from "../../loading/modules.ts";
import type { Lease } from "../lease.ts";
import { type Observed, OBSERVED_BOUNDS, type ObservedFunction } from "../../wire/observed.ts";

interface ObserverEnvironment {
  readonly modules: Pick<ModuleTable, "authorStack">;
  /** Reads the guest's stack, innermost function first. */
  stack(): readonly Frame[];
  /** Units of fuel that the call has used. */
  fuel(): number;
  now(): number;
}

/** Prefix of the plugin's modules, which `authorStack` removes. */
const PLUGIN = "file:///$plugin/";
const VENDORED = /^vendor\//;
const NATIVE = "native";
/** The sandbox's own code. Its frames are shown as one. */
const OWN = "bascule";

/** Creates the observer of a call; undefined if none was requested. */
export function openObserver(
  {
    conditions,
    modules,
  }: { readonly conditions: { readonly observes: boolean } | undefined; readonly modules: ObserverEnvironment["modules"] },
  lease: Lease,
  { now }: Pick<ObserverEnvironment, "now">,
): Observer | undefined {
  if (conditions?.observes !== true) return undefined;
  return new Observer({ modules, now, stack: () => lease.instance.callStack(), fuel: () => lease.fuelSpent });
}

export class Observer {
  readonly #env: ObserverEnvironment;
  readonly #asked: number[] = [];
  readonly #places = new Table(OBSERVED_BOUNDS.places);
  readonly #functions = new Table(OBSERVED_BOUNDS.functions);
  readonly #described: ObservedFunction[] = [];
  readonly #keys = new Table(OBSERVED_BOUNDS.stacks);
  readonly #stacks: (readonly number[])[] = [];
  readonly #samples: [number, number, number][] = [];
  readonly #authors: Map<string, string> = new Map();
  #fuel = 0;
  #at = 0;

  constructor(env: ObserverEnvironment) {
    this.#env = env;
  }

  /** Notes that the guest runs from here on: the time before belongs to no function. */
  entered(): void {
    this.#at = this.#env.now();
  }

  /** Notes an operation that is sent to the host. @param stack the stack of its request, if it waited in the guest */
  asked(stack?: string): void {
    if (this.#asked.length >= OBSERVED_BOUNDS.asked) return;
    const place = stack === undefined ? this.#innermost() : firstOwn(this.#env.modules.authorStack(stack));
    this.#asked.push(place === undefined ? -1 : this.#places.add(place.slice(0, OBSERVED_BOUNDS.text)));
  }

  /** Takes a sample. The time and the fuel since the last one count for it. */
  sampled(): void {
    const [now, fuel] = [this.#env.now(), this.#env.fuel()];
    const [usedMs, used] = [now - this.#at, fuel - this.#fuel];
    this.#at = now;
    this.#fuel = fuel;
    const stack = this.#stackNow();
    if (stack < 0) return;
    const last = this.#samples.at(-1);
    // Equal neighbours are one sample. Above the bound, all later samples count for the last stack.
    if (last !== undefined && (last[0] === stack || this.#samples.length >= OBSERVED_BOUNDS.samples)) {
      last[1] += used;
      last[2] += usedMs * 1000;
    } else this.#samples.push([stack, used, usedMs * 1000]);
  }

  get observed(): Observed {
    const samples = this.#samples.map(([stack, fuel, us]) => [stack, Math.max(0, fuel), Math.max(0, Math.round(us))] as const);
    return { asked: this.#asked, places: this.#places.items, functions: this.#described, stacks: this.#stacks, samples };
  }

  #innermost(): string | undefined {
    const own = this.#env.stack().filter(({ file }) => file.startsWith(PLUGIN));
    const frame = own.find(({ file }) => !VENDORED.test(file.slice(PLUGIN.length))) ?? own[0];
    return frame && this.#toAuthor(frame.file, frame);
  }

  #stackNow(): number {
    const ids: number[] = [];
    for (const { name, file, from } of this.#env.stack().toReversed()) {
      const place = file === "" ? NATIVE : file.startsWith(PLUGIN) ? this.#toAuthor(file, from) : OWN;
      const isOwn = place === OWN || (place === NATIVE && isOf(this.#described[ids.at(-1) ?? -1], OWN));
      // Functions that the sandbox's own code calls belong to it.
      if (isOwn && isOf(this.#described[ids.at(-1) ?? -1], OWN)) continue;
      const id = this.#functions.add(`${name}\n${place}`);
      if (id < 0) return -1;
      this.#described[id] ??= { name: name.slice(0, OBSERVED_BOUNDS.text), place: place.slice(0, OBSERVED_BOUNDS.text) };
      ids.push(id);
    }
    const stack = this.#keys.add(ids.join());
    if (stack >= 0) this.#stacks[stack] ??= ids;
    return stack;
  }

  #toAuthor(file: string, { line, column }: { readonly line: number; readonly column: number }): string {
    const raw = `${file}:${line}:${column}`;
    let known = this.#authors.get(raw);
    if (known === undefined) {
      known = this.#env.modules.authorStack(`(${raw})`).slice(1, -1);
      if (this.#authors.size < OBSERVED_BOUNDS.functions) this.#authors.set(raw, known);
    }
    return known;
  }
}

function isOf(described: ObservedFunction | undefined, place: string): boolean {
  return described?.place === place;
}

/** Returns the position of the first frame outside of vendored packages, else of the first. */
function firstOwn(stack: string): string | undefined {
  const places = [...stack.matchAll(/([^\s()]+:\d+:\d+)\)?$/gm)].map(([, place = ""]) => place);
  return places.find((place) => !VENDORED.test(place)) ?? places[0];
}

/** Different texts, numbered, at most `maximum` of them. */
class Table {
  readonly items: string[] = [];
  readonly #numbers: Map<string, number> = new Map();
  readonly #maximum: number;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Returns the number of a text; -1 if the table is full. */
  add(item: string): number {
    const known = this.#numbers.get(item);
    if (known !== undefined) return known;
    if (this.items.length >= this.#maximum) return -1;
    this.#numbers.set(item, this.items.length);
    return this.items.push(item) - 1;
  }
}
