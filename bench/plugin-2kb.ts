/** The 2 KB plugin of SPEC appendix C's small rows. Plain JavaScript, so that naive hosts can evaluate it too. */

export const PLUGIN_2KB: string = `
const STOP_WORDS = new Set(["the", "a", "an", "of", "to", "in", "and", "is", "it", "that", "for", "on", "with", "as", "was"]);
const CACHE = new Map();
class Counter {
  #counts = new Map();
  add(word) { this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1); return this; }
  top(limit) { return [...this.#counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, limit); }
  get size() { return this.#counts.size; }
}
function tokenize(text) { return text.toLowerCase().match(/[a-z']+/g) ?? []; }
function mean(values) { return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length; }
function deviation(values) { const m = mean(values); return Math.sqrt(mean(values.map((value) => (value - m) ** 2))); }
function slug(text) { return tokenize(text).join("-").slice(0, 80); }
function wrap(text, width) {
  const lines = []; let line = "";
  for (const word of text.split(/\\s+/)) {
    if (line.length + word.length + 1 > width) { lines.push(line); line = word; } else line = line === "" ? word : line + " " + word;
  }
  if (line !== "") lines.push(line);
  return lines;
}
export function echo(args) { return args; }
export function words(args) {
  const counter = new Counter();
  for (const word of tokenize(args.text)) if (!STOP_WORDS.has(word)) counter.add(word);
  return { distinct: counter.size, top: counter.top(args.limit ?? 5) };
}
export function stats(args) { return { mean: mean(args.values), deviation: deviation(args.values), count: args.values.length }; }
export function title(args) { return { slug: slug(args.text), lines: wrap(args.text, args.width ?? 72) }; }
export function remember(args) { CACHE.set(args.key, args.value); return CACHE.size; }
export async function later(args) { await null; return args; }
`;

/** Returns the same plugin with more megabytes on its heap, in small objects as plugins have them. */
export function pluginOfMegabytes(megabytes: number): string {
  const entries = Math.round((megabytes << 20) / BYTES_AN_ENTRY);
  return `${PLUGIN_2KB}\nconst kept = Array.from({ length: ${entries} }, (_, id) => ({ id }));\nexport function size() { return kept.length; }`;
}

/** Bytes of an object with one property and its array slot, as this engine allocates them. */
const BYTES_AN_ENTRY = 96;
