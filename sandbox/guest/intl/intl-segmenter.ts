/** `segment` of `Intl.Segmenter` and its result: the worker finds the boundaries of the whole text at once. */

import { askIntl, type IntlState } from "./intl-message.ts";
import { quoteJson } from "../language/json-text.ts";
import { define, iteratorPrototype, objectSetPrototypeOf, PrimordialSymbol, stringSlice } from "../language/primordials.ts";
import { nameFunction, tag, toDomString } from "../web/webidl.ts";

interface Boundaries {
  readonly text: string;
  /** Start index of each segment. */
  readonly starts: readonly number[];
  /** 1 or 0 per segment for "is like a word"; empty for other granularities. */
  readonly words: readonly number[];
}

const { iterator } = PrimordialSymbol;
const segmentsPrototype = {};
const segmentIteratorPrototype = {};

/** Creates the result of `segmenter.segment(text)`. */
export function segmentText(state: IntlState, given: unknown): object {
  const text = toDomString(given);
  // The worker writes both lists.
  const { starts, words } = askIntl("segment", state.fields, undefined, [quoteJson(text)]) as Omit<Boundaries, "text">;
  return new Segments({ text, starts, words });
}

class Segments {
  #boundaries: Boundaries;

  constructor(boundaries: Boundaries) {
    this.#boundaries = boundaries;
    objectSetPrototypeOf(this, segmentsPrototype);
  }

  static boundariesOf(this: void, value: Segments): Boundaries {
    return value.#boundaries;
  }
}

const { boundariesOf } = Segments;

function segmentAt({ text, starts, words }: Boundaries, index: number): object {
  const start = starts[index] ?? 0;
  const end = starts[index + 1] ?? text.length;
  const found = { segment: stringSlice(text, start, end), index: start, input: text };
  return words.length > 0 ? { ...found, isWordLike: words[index] === 1 } : found;
}

/** Finds the segment that holds the code unit, by binary search. */
function indexOfSegment({ text, starts }: Boundaries, at: number): number | undefined {
  if (!(at >= 0 && at < text.length)) return undefined;
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Creates the prototypes at boot. */
export function prepareSegments(): void {
  const containing = function (this: Segments, given: unknown): object | undefined {
    const boundaries = boundariesOf(this);
    const position = given === undefined ? 0 : +(given as number);
    const index = indexOfSegment(boundaries, position === position ? position - (position % 1) : 0);
    return index === undefined ? undefined : segmentAt(boundaries, index);
  };
  const iterate = function (this: Segments): object {
    const boundaries = boundariesOf(this);
    let index = 0;
    const listing = {};
    const next = (): object =>
      index < boundaries.starts.length ? { value: segmentAt(boundaries, index++), done: false } : { value: undefined, done: true };
    define(listing, "next", next);
    objectSetPrototypeOf(listing, segmentIteratorPrototype);
    return listing;
  };
  nameFunction(containing, "containing", 1);
  nameFunction(iterate, "[Symbol.iterator]", 0);
  define(segmentsPrototype, "containing", containing);
  define(segmentsPrototype, iterator, iterate);
  objectSetPrototypeOf(segmentIteratorPrototype, iteratorPrototype);
  tag(segmentIteratorPrototype, "Segmenter String Iterator");
}
