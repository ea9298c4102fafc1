/**
 * Finds any of many byte strings in a stream and puts something else in their place, whatever pieces the stream comes in.
 *
 * Aho and Corasick's automaton: time in proportion to the stream, however much the strings have in common with it or with each other.
 */

/** One string to look for, and what its finds are reported as. */
export interface Needle {
  readonly bytes: Uint8Array;
  /** A number of the caller's own; strings that stand for the same thing share it. */
  readonly group: number;
}

/** The strings, ready to be looked for in any number of streams. */
export interface ByteSearch {
  /** @param replace what to put in a find's place; finds that overlap are one */
  open(replace: (group: number) => Uint8Array, keeps?: Keeps): ByteReplacer;
}

/**
 * Which of the last bytes are kept back: those that may be the `beginning` of a find, or always as many as the `longest` one could need.
 *
 * Who chooses the stream and sees when its bytes come sees by the first how far they agree with a string that they do not know.
 */
export type Keeps = "beginning" | "longest";

/** One stream. A piece's last bytes are kept back, for they may be the beginning of a find. */
export interface ByteReplacer {
  push(piece: Uint8Array): Uint8Array;
  /** What was kept back. */
  end(): Uint8Array;
  /** True once something was replaced. */
  readonly hasFound: boolean;
}

interface Automaton {
  /** By node × 256 + byte. */
  readonly next: ReadonlyMap<number, number>;
  /** The same of the first node, where most bytes lead nowhere. */
  readonly first: Int32Array;
  readonly fail: Int32Array;
  /** How many of the last bytes may still become a find. */
  readonly open: Int32Array;
  /** The longest needle that ends here: its length (0 for none) and group. */
  readonly found: Int32Array;
  readonly group: Int32Array;
  /** Bytes of the longest needle. */
  readonly longest: number;
}

/** Empty needles are left out. */
export function createByteSearch(needles: readonly Needle[]): ByteSearch {
  const automaton = build(needles.filter(({ bytes }) => bytes.length > 0));
  return { open: (replace, keeps = "beginning") => new Replacer(automaton, replace, keeps) };
}

function build(needles: readonly Needle[]): Automaton {
  const next = new Map<number, number>();
  const depth = [0];
  const found = [0];
  const group = [0];
  for (const needle of needles) {
    let node = 0;
    for (const byte of needle.bytes) {
      const key = node * 256 + byte;
      let child = next.get(key);
      if (child === undefined) {
        child = depth.push((depth[node] ?? 0) + 1) - 1;
        found.push(0);
        group.push(0);
        next.set(key, child);
      }
      node = child;
    }
    found[node] = needle.bytes.length;
    group[node] = needle.group;
  }
  const first = new Int32Array(256);
  for (let byte = 0; byte < 256; byte++) first[byte] = next.get(byte) ?? 0;
  const longest = depth.reduce((most, one) => Math.max(most, one), 0);
  const automaton = { next, first, open: Int32Array.from(depth), found: Int32Array.from(found), group: Int32Array.from(group), longest };
  return { ...automaton, fail: link(automaton) };
}

/** Each node's longest proper suffix that is a node; nearer nodes first, so that theirs is known. */
function link({ next, first, open, found, group }: Omit<Automaton, "fail" | "longest">): Int32Array {
  const fail = new Int32Array(open.length);
  const edges = [...next].toSorted(([, left], [, right]) => (open[left] ?? 0) - (open[right] ?? 0));
  const parents = new Set(edges.map(([key]) => Math.floor(key / 256)));
  for (const [key, node] of edges) {
    const parent = Math.floor(key / 256);
    const to = parent === 0 ? 0 : step({ next, first, fail }, fail[parent] ?? 0, key % 256);
    fail[node] = to;
    // Nothing is longer: what comes next is another find's.
    if (!parents.has(node)) open[node] = open[to] ?? 0;
    if (found[node] !== 0) continue;
    found[node] = found[to] ?? 0;
    group[node] = group[to] ?? 0;
  }
  return fail;
}

function step({ next, first, fail }: Pick<Automaton, "next" | "first" | "fail">, from: number, byte: number): number {
  for (let node = from; node !== 0; node = fail[node] ?? 0) {
    const to = next.get(node * 256 + byte);
    if (to !== undefined) return to;
  }
  return first[byte] ?? 0;
}

/** A find, from the first byte that is kept. */
interface Find {
  start: number;
  end: number;
  readonly group: number;
  /** Its replacement is out already, and it went on. */
  isReplaced: boolean;
}

class Replacer implements ByteReplacer {
  readonly #automaton: Automaton;
  readonly #replace: (group: number) => Uint8Array;
  readonly #keeps: Keeps;
  #node = 0;
  #kept: Uint8Array = new Uint8Array();
  #finds: Find[] = [];
  hasFound = false;

  constructor(automaton: Automaton, replace: (group: number) => Uint8Array, keeps: Keeps) {
    this.#automaton = automaton;
    this.#replace = replace;
    this.#keeps = keeps;
  }

  push(piece: Uint8Array): Uint8Array {
    const bytes = this.#kept.length === 0 ? piece : concat([this.#kept, piece]);
    const { first, open, found, longest } = this.#automaton;
    let node = this.#node;
    for (let at = this.#kept.length; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      node = node === 0 ? (first[byte] ?? 0) : step(this.#automaton, node, byte);
      const length = found[node] ?? 0;
      if (length > 0) this.#add(at + 1 - length, at + 1, this.#automaton.group[node] ?? 0);
    }
    this.#node = node;
    const kept = this.#keeps === "longest" ? longest - 1 : (open[node] ?? 0);
    return this.#release(bytes, Math.max(0, bytes.length - Math.max(0, kept)));
  }

  end(): Uint8Array {
    this.#node = 0;
    return this.#release(this.#kept, this.#kept.length);
  }

  #add(start: number, end: number, group: number): void {
    this.hasFound = true;
    const find: Find = { start, end, group, isReplaced: false };
    for (let last = this.#finds.at(-1); last !== undefined && last.end > find.start; last = this.#finds.at(-1)) {
      this.#finds.pop();
      find.start = Math.min(find.start, last.start);
      find.isReplaced ||= last.isReplaced;
    }
    this.#finds.push(find);
  }

  /** Lets go of the bytes before `until`: no find that is still to come begins there. */
  #release(bytes: Uint8Array, until: number): Uint8Array {
    const out: Uint8Array[] = [];
    const left: Find[] = [];
    let at = 0;
    for (const find of this.#finds) {
      if (find.start < until) {
        out.push(bytes.subarray(at, find.start));
        if (!find.isReplaced) out.push(this.#replace(find.group));
        at = Math.min(find.end, until);
      }
      if (find.end > until)
        left.push({ ...find, start: Math.max(0, find.start - until), end: find.end - until, isReplaced: find.start < until });
    }
    this.#finds = left;
    // A copy: the piece's memory is the caller's.
    this.#kept = bytes.slice(until);
    if (out.length === 0) return bytes.subarray(0, until);
    out.push(bytes.subarray(at, until));
    return concat(out);
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
