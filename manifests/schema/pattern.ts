/** Matches texts with patterns of schemas: time is proportional to text and pattern, never exponential (SPEC AX5, LV2). */

import { parsePattern, type Program } from "./pattern-parse.ts";

/** A search under way, which takes as many steps at a time as its caller allows. */
interface PatternSearch {
  /** Continues for about `steps` steps. @returns whether the pattern was found; undefined if there is more to do */
  advance(steps: number): boolean | undefined;
  /** Steps so far. */
  readonly taken: number;
}

/** Patterns are compiled once; a manifest has few. */
const PROGRAMS = new Map<string, Program>();
const MAX_PROGRAMS = 200;

/**
 * Searches `pattern` in `text`, at any place, as JSON Schema does.
 *
 * @throws {RangeError} if the pattern is not one that `parsePattern` accepts
 */
export function searchPattern(pattern: string, text: string): PatternSearch {
  return new Search(programOf(pattern), text);
}

function programOf(pattern: string): Program {
  const known = PROGRAMS.get(pattern);
  if (known !== undefined) return known;
  const parsed = parsePattern(pattern);
  if ("message" in parsed) throw new RangeError(parsed.message);
  if (PROGRAMS.size >= MAX_PROGRAMS) PROGRAMS.clear();
  PROGRAMS.set(pattern, parsed);
  return parsed;
}

/** Keeps the set of all places in the program that the text so far can have led to (Thompson 1968). */
class Search implements PatternSearch {
  readonly #program: Program;
  readonly #text: string;
  #index = 0;
  #states: number[] = [];
  #next: number[] = [];
  /** Position at which a place was added last, so that none is added twice. */
  readonly #seen: Int32Array;
  readonly #stack: number[] = [];
  #isFound = false;
  taken = 0;

  constructor(program: Program, text: string) {
    this.#program = program;
    this.#text = text;
    this.#seen = new Int32Array(program.length).fill(-1);
  }

  advance(steps: number): boolean | undefined {
    const until = this.taken + steps;
    for (;;) {
      // A match may begin at every position.
      this.#add(0, this.#states);
      if (this.#isFound) return true;
      const code = this.#text.codePointAt(this.#index);
      if (code === undefined) return false;
      this.#take(code);
      if (this.#isFound) return true;
      if (this.taken >= until) return undefined;
    }
  }

  #take(code: number): void {
    const character = String.fromCodePoint(code);
    const from = this.#states;
    this.#index += character.length;
    this.taken += from.length + 1;
    for (const place of from) {
      const instruction = this.#program[place];
      if (instruction?.kind === "char" && contains(instruction.set, code, character)) this.#add(place + 1, this.#next);
    }
    this.#states = this.#next;
    this.#next = from;
    this.#next.length = 0;
  }

  /** Adds a place, and those that it leads to without a character. */
  #add(start: number, states: number[]): void {
    this.#stack.push(start);
    for (let place = this.#stack.pop(); place !== undefined; place = this.#stack.pop()) {
      if (this.#seen[place] === this.#index) continue;
      this.#seen[place] = this.#index;
      this.taken++;
      const instruction = this.#program[place];
      if (instruction?.kind === "char") states.push(place);
      else if (instruction?.kind === "split") this.#stack.push(instruction.or, instruction.to);
      else if (instruction?.kind === "match") this.#isFound = true;
      else if (instruction?.kind === "assert" && this.#holds(instruction.at)) this.#stack.push(place + 1);
    }
  }

  #holds(at: "start" | "end" | "boundary" | "inside"): boolean {
    if (at === "start") return this.#index === 0;
    if (at === "end") return this.#index === this.#text.length;
    const isBoundary = isWord(this.#text[this.#index - 1]) !== isWord(this.#text[this.#index]);
    return isBoundary === (at === "boundary");
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}

function contains(
  { ascii, test }: { readonly ascii: Uint8Array; test(character: string): boolean },
  code: number,
  character: string,
): boolean {
  if (code >= 128) return test(character);
  const known = ascii[code];
  if (known !== 0) return known === 2;
  const isIn = test(character);
  ascii[code] = isIn ? 2 : 1;
  return isIn;
}
