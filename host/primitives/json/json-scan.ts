/** Validates JSON bytes in pieces: grammar and depth, without creating a value (SPEC LV2). */

/** Shape of a valid JSON text. */
export interface JsonShape {
  readonly type: "string" | "number" | "boolean" | "null" | "array" | "object";
  /** Number of items or members; 0 for other types. */
  readonly count: number;
  readonly depth: number;
}

/**
 * Accepts RFC 8259 without white space between tokens, as our writers emit it, so that accepted text is one line. Bytes above ASCII count
 * as characters of strings, well-formed or not.
 */
export class JsonScan {
  readonly #maxDepth: number;
  /** State after a value, by depth. */
  readonly #after: Uint8Array;
  #state = VALUE;
  #depth = 0;
  #deepest = 0;
  #commas = 0;
  #isEmpty = false;
  #first = -1;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
    this.#after = new Uint8Array(maxDepth + 1).fill(AFTER_ALL, 0, 1);
  }

  /** @returns false if the bytes are not a prefix of JSON, or nest too deep. */
  push(bytes: Uint8Array): boolean {
    if (this.#first === -1) this.#first = bytes[0] ?? -1;
    let state = this.#state;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      const next = TABLE[state * 256 + byte] ?? FAILED;
      if (next < FAILED) state = next;
      else if (next === FAILED) {
        this.#state = FAILED;
        return false;
      } else {
        state = this.#act(next, state, byte);
      }
    }
    this.#state = state;
    return state !== FAILED;
  }

  /** Returns undefined if the text is not JSON. */
  end(): JsonShape | undefined {
    const isOver = this.#state === AFTER_ALL || (this.#depth === 0 && TABLE[this.#state * 256 + COMMA] === NUMBER_OVER);
    if (!isOver) return undefined;
    const type = typeOf(this.#first);
    const isList = type === "array" || type === "object";
    return { type, count: isList && !this.#isEmpty ? this.#commas + 1 : 0, depth: this.#deepest };
  }

  #act(action: number, state: number, byte: number): number {
    switch (action) {
      case OPEN:
        if (this.#depth === this.#maxDepth) return FAILED;
        this.#depth++;
        if (this.#depth > this.#deepest) this.#deepest = this.#depth;
        this.#after[this.#depth] = byte === OPEN_BRACE ? AFTER_MEMBER : AFTER_ITEM;
        return byte === OPEN_BRACE ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
      case CLOSE:
        if (this.#depth === 1) this.#isEmpty = state === KEY_OR_CLOSE || state === VALUE_OR_CLOSE;
        this.#depth--;
        return this.#after[this.#depth] ?? FAILED;
      case NEXT:
        if (this.#depth === 1) this.#commas++;
        return state === AFTER_MEMBER ? KEY : VALUE;
      case NUMBER_OVER: {
        // The byte after a number belongs to the next token.
        const after = this.#after[this.#depth] ?? FAILED;
        const next = TABLE[after * 256 + byte] ?? FAILED;
        return next > FAILED ? this.#act(next, after, byte) : next;
      }
      default:
        return this.#after[this.#depth] ?? FAILED;
    }
  }
}

const VALUE = 0;
const VALUE_OR_CLOSE = 1;
const KEY = 2;
const KEY_OR_CLOSE = 3;
const BEFORE_COLON = 4;
const AFTER_MEMBER = 5;
const AFTER_ITEM = 6;
const AFTER_ALL = 7;
/** String states, each followed by five states within an escape: the backslash and four digits. */
const STRING = 8;
const KEY_STRING = 14;
const MINUS = 20;
const ZERO = 21;
const WHOLE = 22;
const POINT = 23;
const FRACTION = 24;
const EXPONENT = 25;
const SIGN = 26;
const POWER = 27;
const LITERALS = 28;
/** States are below this value, actions above. */
const FAILED = 64;
const OPEN = 65;
const CLOSE = 66;
const NEXT = 67;
const VALUE_OVER = 68;
const NUMBER_OVER = 69;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;

/** The next state or an action, by state × 256 + byte. */
const TABLE: Uint8Array = makeTable();

function makeTable(): Uint8Array {
  const table = new Uint8Array(FAILED * 256).fill(FAILED);
  const on = (state: number, bytes: string, next: number): void => {
    for (let index = 0; index < bytes.length; index++) table[state * 256 + bytes.charCodeAt(index)] = next;
  };
  let literal = LITERALS;
  for (const state of [VALUE, VALUE_OR_CLOSE]) {
    on(state, '"', STRING);
    on(state, "{[", OPEN);
    on(state, "-", MINUS);
    on(state, "0", ZERO);
    on(state, "123456789", WHOLE);
    for (const word of ["true", "false", "null"]) {
      on(state, word.charAt(0), literal);
      for (const character of word.slice(1, -1)) on(literal, character, ++literal);
      on(literal++, word.slice(-1), VALUE_OVER);
    }
  }
  on(VALUE_OR_CLOSE, "]", CLOSE);
  on(KEY, '"', KEY_STRING);
  on(KEY_OR_CLOSE, '"', KEY_STRING);
  on(KEY_OR_CLOSE, "}", CLOSE);
  on(BEFORE_COLON, ":", VALUE);
  on(AFTER_MEMBER, ",", NEXT);
  on(AFTER_MEMBER, "}", CLOSE);
  on(AFTER_ITEM, ",", NEXT);
  on(AFTER_ITEM, "]", CLOSE);
  for (const string of [STRING, KEY_STRING]) {
    table.fill(string, string * 256 + SPACE, string * 256 + 256);
    on(string, '"', string === STRING ? VALUE_OVER : BEFORE_COLON);
    on(string, "\\", string + 1);
    on(string + 1, '"\\/bfnrt', string);
    on(string + 1, "u", string + 2);
    for (let digit = 2; digit < 6; digit++) on(string + digit, "0123456789abcdefABCDEF", digit === 5 ? string : string + digit + 1);
  }
  for (const state of [ZERO, WHOLE, FRACTION, POWER]) table.fill(NUMBER_OVER, state * 256, state * 256 + 256);
  on(MINUS, "0", ZERO);
  on(MINUS, "123456789", WHOLE);
  on(WHOLE, "0123456789", WHOLE);
  for (const state of [ZERO, WHOLE]) on(state, ".", POINT);
  for (const state of [POINT, FRACTION]) on(state, "0123456789", FRACTION);
  for (const state of [ZERO, WHOLE, FRACTION]) on(state, "eE", EXPONENT);
  on(EXPONENT, "+-", SIGN);
  for (const state of [EXPONENT, SIGN, POWER]) on(state, "0123456789", POWER);
  return table;
}

function typeOf(first: number): JsonShape["type"] {
  if (first === OPEN_BRACE) return "object";
  if (first === 0x5b) return "array";
  if (first === QUOTE) return "string";
  return first === 0x74 || first === 0x66 ? "boolean" : first === 0x6e ? "null" : "number";
}
