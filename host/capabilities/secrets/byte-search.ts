/**
 * Replaces many byte strings in a stream, however the stream is cut into pieces.
 *
 * Aho–Corasick automaton: linear in the stream, whatever the strings have in common with it or with each other.
 */

/** One string to find. */
interface Needle {
  readonly bytes: Uint8Array;
  /** Number chosen by the caller; strings with the same meaning share it. */
  readonly group: number;
}

/** A set of strings, ready to search any number of streams. */
export interface ByteSearch {
  /** @param replace returns the replacement of a match; overlapping matches count as one */
  open(replace: (group: number) => Uint8Array, keeps?: Keeps): ByteReplacer;
}

/**
 * How many of the last bytes are held back: those that may be the `beginning` of a match, or always as many as the `longest` match could
 * need. With the first, a party that controls the stream and sees the timing of its output could learn how far it matches an unknown
 * string.
 */
type Keeps = "beginning" | "longest";

/** The state of one stream. Holds back the last bytes, which may be the beginning of a match. */
export interface ByteReplacer {
  push(piece: Uint8Array): Uint8Array;
  /** Returns the bytes held back. */
  end(): Uint8Array;
  /** True once something was replaced. */
  readonly hasFound: boolean;
}

interface Automaton {
  /** By node × 256 + byte. */
  readonly next: ReadonlyMap<number, number>;
  /** Transitions of the root as an array, because most bytes stay there. */
  readonly first: Int32Array;
  readonly fail: Int32Array;
  /** By node: number of last bytes that may still become a match. */
  readonly open: Int32Array;
  /** By node: length (0 for none) and group of the longest needle that ends here. */
  readonly found: Int32Array;
  readonly group: Int32Array;
  /** Bytes of the longest needle. */
  readonly longest: number;
}

/** Ignores empty needles. */
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

/** Computes each node's longest proper suffix that is a node, in order of depth, so that shorter ones are known first. */
function link({ next, first, open, found, group }: Omit<Automaton, "fail" | "longest">): Int32Array {
  const fail = new Int32Array(open.length);
  const edges = [...next].toSorted(([, left], [, right]) => (open[left] ?? 0) - (open[right] ?? 0));
  const parents = new Set(edges.map(([key]) => Math.floor(key / 256)));
  for (const [key, node] of edges) {
    const parent = Math.floor(key / 256);
    const to = parent === 0 ? 0 : step({ next, first, fail }, fail[parent] ?? 0, key % 256);
    fail[node] = to;
    // No needle is longer here, so only the suffix may continue.
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

/** A match, relative to the first byte held back. */
interface Find {
  start: number;
  end: number;
  readonly group: number;
  /** True if its replacement was already written. */
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

  /** Releases the bytes before `until`; no later match begins there. */
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
    // Copied, because the caller owns the piece's memory.
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
