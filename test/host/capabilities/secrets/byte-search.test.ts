import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createByteSearch } from "../../../../host/capabilities/secrets/byte-search.ts";
import "../../../support/seed.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function replaceAll(needles: readonly string[], pieces: readonly string[]): string {
  const search = createByteSearch(needles.map((needle, group) => ({ bytes: bytes(needle), group })));
  const replacer = search.open((group) => bytes(`<${group}>`));
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(replacer.push(bytes(piece)))).join("") + decoder.decode(replacer.end());
}

/** Reference implementation: marks every byte that a needle covers, then replaces each match. */
function byMarking(needles: readonly string[], text: string): string {
  const finds: { start: number; end: number; group: number }[] = [];
  for (let end = 1; end <= text.length; end++) {
    const fitting = needles.flatMap((needle, group) =>
      text.slice(0, end).endsWith(needle) ? [{ start: end - needle.length, end, group }] : [],
    );
    const longest = fitting.toSorted((left, right) => left.start - right.start)[0];
    if (longest !== undefined) finds.push(longest);
  }
  const merged: typeof finds = [];
  for (const find of finds) {
    let { start } = find;
    for (let last = merged.at(-1); last !== undefined && last.end > start; last = merged.at(-1)) {
      merged.pop();
      start = Math.min(start, last.start);
    }
    merged.push({ ...find, start });
  }
  let at = 0;
  let out = "";
  for (const { start, end, group } of merged) {
    out += `${text.slice(at, start)}<${group}>`;
    at = end;
  }
  return out + text.slice(at);
}

describe("createByteSearch()", () => {
  it.each<[string, readonly string[], readonly string[], string]>([
    ["nothing", ["abc"], ["xyz"], "xyz"],
    ["one in one piece", ["abc"], ["xabcy"], "x<0>y"],
    ["one in pieces of a byte", ["abc"], [..."xabcy"], "x<0>y"],
    ["two that touch", ["abc"], ["abcabc"], "<0><0>"],
    ["one that begins inside another's beginning", ["aab"], ["aaab"], "a<0>"],
    ["one inside another", ["bc", "abcd"], ["xabcdx", "bc"], "x<1>x<0>"],
    ["the rest of a longer overlapping match", ["abcd", "cdef"], ["xabcdefx"], "x<1>x"],
    ["a beginning that does not match in the end", ["abcd"], ["ab", "ce"], "abce"],
    ["a beginning at the end of the stream", ["abcd"], ["xabc"], "xabc"],
    ["no needles", [""], ["abc"], "abc"],
  ])("finds %s [C7.redacted]", (_, needles, pieces, expected) => {
    expect(replaceAll(needles, pieces)).toBe(expected);
  });

  it("passes no byte of a match, wherever the pieces are cut [C7.redacted]", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 40 });
    const needles = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 2, maxLength: 6 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.uniqueArray(text, { maxLength: 8 }), fc.array(text, { maxLength: 8 }), needles, (_, pieces, wanted) => {
        const distinct = [...new Set(wanted)];
        const replaced = replaceAll(distinct, pieces).replace(/<\d>/g, "<>");
        // The name of overlapping matches depends on the cut; the covered bytes do not.
        expect(uncovered(replaced)).toBe(uncovered(byMarking(distinct, pieces.join("")).replace(/<\d>/g, "<>")));
      }),
      { numRuns: 500 },
    );
  });

  it("runs in linear time, also on repetitive input [B1]", () => {
    const replacer = createByteSearch([{ bytes: bytes("a".repeat(4_000) + "b"), group: 0 }]).open(() => bytes("-"));
    let length = 0;
    for (let piece = 0; piece < 64; piece++) length += replacer.push(bytes("a".repeat(16_384))).length;
    expect(length + replacer.end().length).toBe(64 * 16_384);
    expect(replacer.hasFound).toBe(false);
  });
});

/** Adjacent matches may count as one or two, depending on where they were merged. */
function uncovered(text: string): string {
  return text.replace(/(?:<>)+/g, "<>");
}
