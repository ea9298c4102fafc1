/**
 * Compiles regular expressions of ECMA-262 with the `u` flag to programs that `pattern.ts` runs in linear time (SPEC AX5, LV2).
 *
 * The runtime's own matcher backtracks: `(a+)+$` holds a thread for minutes. Character classes are still the runtime's, because one
 * character cannot make them backtrack.
 */

/** One instruction: consume a character, branch, assert a position, or match. */
type Instruction =
  | { readonly kind: "char"; readonly set: CharacterSet }
  | { readonly kind: "split"; readonly to: number; readonly or: number }
  | { readonly kind: "assert"; readonly at: "start" | "end" | "boundary" | "inside" }
  | { readonly kind: "match" };

/** A set of characters; answers for ASCII are kept. */
interface CharacterSet {
  readonly test: (character: string) => boolean;
  /** By code: 0 not known, 1 no, 2 yes. */
  readonly ascii: Uint8Array;
}

export type Program = readonly Instruction[];

/** A pattern that cannot be matched: what it uses, and where in its text. */
interface PatternProblem {
  readonly message: string;
  readonly fix: string;
}

const MAX_LENGTH = 2_000;
/** Instructions, after `{n}` is written out. */
const MAX_PROGRAM = 2_000;
const MAX_GROUPS = 50;

type Node =
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "assert"; readonly at: "start" | "end" | "boundary" | "inside" }
  | { readonly kind: "sequence"; readonly nodes: readonly Node[] }
  | { readonly kind: "choice"; readonly nodes: readonly Node[] }
  | { readonly kind: "repeat"; readonly node: Node; readonly min: number; readonly max: number };

class Refused extends Error {
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

/** Returns the program, or why there is none. */
export function parsePattern(source: string): Program | PatternProblem {
  if (source.length > MAX_LENGTH) return { message: `Pattern has more than ${MAX_LENGTH} characters`, fix: "make it shorter" };
  const wrong = syntaxError(source);
  if (wrong !== undefined) return { message: `Pattern is not a regular expression: ${wrong}`, fix: "correct it" };
  try {
    const node = parse(source);
    const program: Instruction[] = [];
    emit(node, program);
    program.push({ kind: "match" });
    return program;
  } catch (error) {
    if (error instanceof Refused) return { message: error.message, fix: error.fix };
    throw error;
  }
}

/** Many patterns in use escape more than the `u` flag allows (`\_`), so patterns without the flag count too. */
function syntaxError(source: string): string | undefined {
  try {
    new RegExp(source, "u");
    return undefined;
  } catch {
    try {
      new RegExp(source);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message.replace(/^Invalid regular expression: .*: /s, "") : String(error);
    }
  }
}

function parse(source: string): Node {
  let index = 0;
  let groups = 0;
  const rest = (): string => source.slice(index);
  const refuse = (what: string, fix: string): never => {
    throw new Refused(`Pattern uses ${what} at character ${index + 1}, which cannot be matched in linear time`, fix);
  };

  function choice(): Node {
    const nodes = [sequence()];
    while (source[index] === "|") {
      index++;
      nodes.push(sequence());
    }
    return nodes.length === 1 && nodes[0] !== undefined ? nodes[0] : { kind: "choice", nodes };
  }

  function sequence(): Node {
    const nodes: Node[] = [];
    while (index < source.length && source[index] !== "|" && source[index] !== ")") nodes.push(quantified());
    return { kind: "sequence", nodes };
  }

  function quantified(): Node {
    const node = atom();
    const [text, single, least, comma, most] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(rest()) ?? [];
    if (text === undefined) return node;
    index += text.length;
    if (single !== undefined) return { kind: "repeat", node, min: single === "+" ? 1 : 0, max: single === "?" ? 1 : Infinity };
    const min = Number(least);
    return { kind: "repeat", node, min, max: comma === "" ? min : most === "" ? Infinity : Number(most) };
  }

  function atom(): Node {
    const character = String.fromCodePoint(source.codePointAt(index) ?? 0);
    if (character === "(") return group();
    if (character === "[") return set(characterClass());
    if (character === "\\") return escape();
    index += character.length;
    if (character === "^") return { kind: "assert", at: "start" };
    if (character === "$") return { kind: "assert", at: "end" };
    return set(character === "." ? "." : `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);
  }

  function group(): Node {
    if (++groups > MAX_GROUPS) throw new Refused(`Pattern has more than ${MAX_GROUPS} groups`, "make it simpler");
    const lookaround = /^\(\?<?[=!]/.exec(rest());
    if (lookaround !== null)
      refuse(
        `"${lookaround[0]}" (${lookaround[0].includes("<") ? "lookbehind" : "lookahead"})`,
        'use "allOf" with several patterns, or "not"',
      );
    if (/^\(\?[ims-]/.test(rest())) refuse('modifiers ("(?i:")', "write both cases: [Aa]");
    index += /^\((?:\?:|\?<[^>]*>)?/.exec(rest())?.[0].length ?? 1;
    const node = choice();
    index++;
    return node;
  }

  function characterClass(): string {
    const start = index;
    for (index++; source[index] !== "]" && index < source.length; index++) if (source[index] === "\\") index++;
    index++;
    return source.slice(start, index);
  }

  function escape(): Node {
    const [text] =
      /^\\(?:u\{[\da-fA-F]+\}|(?:u[dD][89abAB][\da-fA-F]{2}\\)?u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|[^])/u.exec(
        rest(),
      ) ?? ["\\"];
    const kind = text[1] ?? "";
    if (/[1-9]/.test(kind) || text === "\\k") refuse("a back-reference", "write the alternatives out");
    index += text.length;
    if (text === "\\b") return { kind: "assert", at: "boundary" };
    if (text === "\\B") return { kind: "assert", at: "inside" };
    return set(text);
  }

  return choice();
}

const SETS = new Map<string, CharacterSet>();
const MAX_SETS = 500;

/** Returns a set by its source: `[a-z]`, `\d`, `.`; recent ones are shared. */
function set(source: string): Node {
  let found = SETS.get(source);
  if (found === undefined) {
    const test = classTest(source);
    found = { test, ascii: new Uint8Array(128) };
    if (SETS.size >= MAX_SETS) SETS.clear();
    SETS.set(source, found);
  }
  return { kind: "set", set: found };
}

function classTest(source: string): (character: string) => boolean {
  // Escapes that the `u` flag does not allow stand for themselves.
  const strict = source.replace(/\\([^\w^$\\.*+?()[\]{}|/-]|_)/g, "$1").replace(/^\\-$/, "-");
  for (const text of [source, strict, strict.replace(/\\([A-Za-z])/g, "$1")]) {
    try {
      const expression = new RegExp(`^${text}$`, "u");
      return (character) => expression.test(character);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  throw new Refused(`Pattern has a part that is not valid with Unicode: ${source}`, "escape only what needs it");
}

/** Writes a node's instructions; `{2,4}` is written out. */
function emit(node: Node, program: Instruction[]): void {
  if (program.length > MAX_PROGRAM)
    throw new Refused(`Pattern has more than ${MAX_PROGRAM} parts, with "{n}" written out`, 'use smaller counts, or "maxLength"');
  if (node.kind === "set") program.push({ kind: "char", set: node.set });
  else if (node.kind === "assert") program.push(node);
  else if (node.kind === "sequence") for (const one of node.nodes) emit(one, program);
  else if (node.kind === "choice") emitChoice(node.nodes, program);
  else emitRepeat(node, program);
}

function emitChoice(nodes: readonly Node[], program: Instruction[]): void {
  const ends: number[] = [];
  for (const [index, node] of nodes.entries()) {
    const isLast = index === nodes.length - 1;
    const split = program.length;
    if (!isLast) program.push({ kind: "split", to: split + 1, or: split });
    emit(node, program);
    if (isLast) break;
    ends.push(program.length);
    program.push({ kind: "split", to: 0, or: 0 });
    program[split] = { kind: "split", to: split + 1, or: program.length };
  }
  for (const end of ends) program[end] = { kind: "split", to: program.length, or: program.length };
}

function emitRepeat({ node, min, max }: Extract<Node, { kind: "repeat" }>, program: Instruction[]): void {
  for (let count = 0; count < min; count++) {
    const before = program.length;
    emit(node, program);
    // An empty part stays empty, however often it is repeated.
    if (program.length === before) return;
  }
  const optional = max === Infinity ? 1 : max - min;
  const splits: number[] = [];
  for (let count = 0; count < optional; count++) {
    const split = program.length;
    splits.push(split);
    program.push({ kind: "split", to: split + 1, or: split });
    emit(node, program);
    if (program.length === split + 1) break;
  }
  const first = splits[0];
  if (max === Infinity && first !== undefined) program.push({ kind: "split", to: first, or: first });
  for (const split of splits) program[split] = { kind: "split", to: split + 1, or: program.length };
}
