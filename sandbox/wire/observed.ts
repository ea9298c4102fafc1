/**
 * Observations of a call: the lines that sent its operations, and samples of its stack. Made while a recorded call is replayed, so that
 * calls pay nothing for it (architecture, recorded calls).
 */

/** Positions are texts `file:line:column` in the author's files. */
export interface Observed {
  /** Place of each operation that the host was sent, in that order: an index of `places`, or -1 if no line of the plugin sent it. */
  readonly asked: readonly number[];
  readonly places: readonly string[];
  readonly functions: readonly ObservedFunction[];
  /** Stacks as indices of `functions`, outermost first. */
  readonly stacks: readonly (readonly number[])[];
  /** Samples in the order of time: index of `stacks`, units of fuel and microseconds since the sample before. */
  readonly samples: readonly Sample[];
}

type Sample = readonly [stack: number, fuel: number, us: number];

export interface ObservedFunction {
  /** `""` for an anonymous function. */
  readonly name: string;
  /** Position of the function, or `native` for one of the engine, or `bascule` for one of the sandbox's APIs. */
  readonly place: string;
}

/** Bounds of observations, because a guest decides what it does and how its functions are named. What exceeds them is left out. */
export const OBSERVED_BOUNDS: Readonly<Record<"asked" | "places" | "functions" | "stacks" | "depth" | "samples" | "text", number>> =
  Object.freeze({ asked: 100_000, places: 2_000, functions: 5_000, stacks: 10_000, depth: 64, samples: 50_000, text: 400 });

/** Checks that a value from a worker has the shape and the bounds of observations. */
export function isObserved(value: unknown): value is Observed {
  const { asked, places, functions, stacks, samples } = membersOf(value);
  if (!isListOf(places, OBSERVED_BOUNDS.places, isBrief) || !isListOf(functions, OBSERVED_BOUNDS.functions, isFunction)) return false;
  const isIndexOf =
    (list: unknown) =>
    (index: unknown): boolean =>
      Number.isInteger(index) && Number(index) >= 0 && Number(index) < (list as readonly unknown[]).length;
  const isPlace = (index: unknown): boolean => index === -1 || isIndexOf(places)(index);
  const isStack = (stack: unknown): boolean => isListOf(stack, OBSERVED_BOUNDS.depth, isIndexOf(functions));
  if (!isListOf(asked, OBSERVED_BOUNDS.asked, isPlace) || !isListOf(stacks, OBSERVED_BOUNDS.stacks, isStack)) return false;
  const isSample = (sample: unknown): boolean =>
    Array.isArray(sample) && sample.length === 3 && isIndexOf(stacks)(sample[0]) && isAmount(sample[1]) && isAmount(sample[2]);
  return isListOf(samples, OBSERVED_BOUNDS.samples, isSample);
}

function isFunction(value: unknown): boolean {
  const { name, place } = membersOf(value);
  return isBrief(name) && isBrief(place);
}

function isBrief(value: unknown): boolean {
  return typeof value === "string" && value.length <= OBSERVED_BOUNDS.text;
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isListOf(value: unknown, maximum: number, check: (item: unknown) => boolean): boolean {
  // `every` alone would skip holes, so the list is copied first.
  return Array.isArray(value) && value.length <= maximum && Array.from(value).every(check);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Reading members of any object is safe.
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
