/** State of one inspection of a value, and the shape of an object. */

/** Options of `Deno.InspectOptions` that apply to plain text. */
export interface InspectOptions {
  /** Maximum levels of nested objects. */
  readonly depth: number;
  /** Maximum entries of arrays, maps and sets. */
  readonly iterableLimit: number;
  /** Maximum characters of a nested string. */
  readonly strAbbreviateSize: number;
  readonly breakLength: number;
  /** Inner levels that may share one line; 0 means none. */
  readonly compact: number;
  readonly sorted: boolean;
  readonly getters: boolean;
  readonly trailingComma: boolean;
  readonly showHidden: boolean;
  /** Whether control characters of strings are escaped. */
  readonly escapeSequences: boolean;
  /** Quote characters; the first one that a string does not contain is used. */
  readonly quotes: readonly string[];
}

/** `compact: true`: everything that fits on one line is on one line, and lists are not set in columns. */
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
  /** Objects that contain themselves, in the order of their reference numbers. */
  readonly circular: object[];
  indentation: number;
  /** Level of the object that was begun last: the depth of the text below the current one. */
  reached: number;
  /** Values that may still be shown, because a graph of shared objects grows exponentially as text. */
  remaining: number;
  /** Shows one value at a level; the outermost is level 0. */
  readonly show: (value: unknown, level: number) => string;
}

/** Shape of one object: `base open entries close`, or only `base` if it is empty. */
export interface Shape {
  /** Text before the brace or alone: `[Function: f]`, an error's stack, a date. */
  readonly base: string;
  /** The opening brace with its prefix: `Map(2) {`. */
  readonly open: string;
  readonly close: "}" | "]";
  /** Shows the contents that are not properties. */
  readonly entries?: (inspection: Inspection, level: number) => string[];
  /** Whether the entries may be set in columns. */
  readonly columns: boolean;
  /** Integer keys below this are entries and not shown as properties. */
  readonly indexes: number;
  /** Keys shown although they are not enumerable, in brackets. */
  readonly hidden: readonly string[];
  /** Keys that the base already shows. */
  readonly omitted: readonly string[];
}
