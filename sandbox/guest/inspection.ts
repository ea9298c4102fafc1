/** What one inspection of a value carries along, and how it is shaped. */

/** As in `Deno.InspectOptions`, as far as they apply to plain text. */
export interface InspectOptions {
  /** Levels of nested objects. */
  readonly depth: number;
  /** Entries of arrays, maps and sets. */
  readonly iterableLimit: number;
  /** Characters of a nested string. */
  readonly strAbbreviateSize: number;
  readonly breakLength: number;
  /** How many inner levels may share one line; 0 is none. */
  readonly compact: number;
  readonly sorted: boolean;
  readonly getters: boolean;
  readonly trailingComma: boolean;
  readonly showHidden: boolean;
  /** Control characters of strings as escapes. */
  readonly escapeSequences: boolean;
  /** The first that a string does not hold stands around it. */
  readonly quotes: readonly string[];
}

/** `compact: true`: whatever fits one line is on one, and lists are not set in columns. */
export const COMPACT = 100;

/** Deno's defaults. */
export const DEFAULT_INSPECT: InspectOptions = {
  depth: 4,
  iterableLimit: 100,
  strAbbreviateSize: 10_000,
  breakLength: 80,
  compact: 3,
  sorted: false,
  getters: false,
  trailingComma: false,
  showHidden: false,
  escapeSequences: true,
  quotes: ['"', "'", "`"],
};

export interface Inspection {
  readonly options: InspectOptions;
  /** Objects being shown, outermost first. */
  readonly path: object[];
  /** Objects that were found to contain themselves, in the order of their numbers. */
  readonly circular: object[];
  indentation: number;
  /** Level of the object that was begun last: how deep the text below the current one goes. */
  reached: number;
  /** Values that may still be shown; a graph of shared objects is exponential as text. */
  remaining: number;
  /** Shows one value at a level; the outermost is level 0. */
  readonly show: (value: unknown, level: number) => string;
}

/** How one object is shown: `base open entries close`, or only `base` when there is nothing inside. */
export interface Shape {
  /** `[Function: f]`, an error's stack, a date: what stands before the brace or alone. */
  readonly base: string;
  /** The opening brace with what belongs before it: `Map(2) {`. */
  readonly open: string;
  readonly close: "}" | "]";
  /** Shows what is inside besides properties. */
  readonly entries?: (inspection: Inspection, level: number) => string[];
  /** Entries may be set in columns. */
  readonly columns: boolean;
  /** Own keys that are integers below this are entries already. */
  readonly indexes: number;
  /** Keys to show though they are not enumerable, in brackets. */
  readonly hidden: readonly string[];
  /** Keys not to show: the base says it. */
  readonly omitted: readonly string[];
}
