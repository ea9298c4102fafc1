import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parsePattern } from "../../../manifests/schema/pattern-parse.ts";
import { searchPattern } from "../../../manifests/schema/pattern.ts";
import "../../support/seed.ts";

const PATTERNS = [
  ...[
    "^a*$",
    "a+b",
    "^(ab|cd)*$",
    "[a-z]{2,4}$",
    "^\\d{3}-\\d{4}$",
    "x?y{0}z",
    "\\bfoo\\b",
    "^\\p{Lu}",
    "(a|b|)c",
    "^[\\w\\-\\.]+@",
    "^$",
    "",
  ],
  ...[
    "a{2}",
    "^.*$",
    "(?:a{1,2}){2}",
    "[^]",
    "\\u{1F600}",
    "^\\cA",
    "\\x41",
    "(a*)*b",
    "(a?)+$",
    "[\\]\\-a]",
    "\\_",
    "\\-a",
    "^a|b$",
    "\\B.",
  ],
  ...["{", "a{,2}", "[\\_b]", "(?<year>\\d)+x", "\\ud83d\\ude00", "[^a]b", "a|", "(?:)*a"],
];
const TEXTS = [
  ...["", "a", "aa", "aab", "abcd", "abc", "123-4567", "foo bar", "xfoo", "É", "bc", "c", "a-b.c@", "\n", "aaaa", "😀", "\u0001", "A", "b"],
  ...["]", "_", "-a", "{", "a{,2}", "x", "z", "yz", "xz", "é12x", "\ud83d", "2x"],
];

function isFound(pattern: string, text: string): boolean {
  const search = searchPattern(pattern, text);
  for (;;) {
    const found = search.advance(3);
    if (found !== undefined) return found;
  }
}

function native(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return new RegExp(pattern).test(text);
  }
}

describe("searchPattern()", () => {
  it.each(PATTERNS)("agrees with the runtime on /%s/ [AX5.pattern]", (pattern) => {
    const both = TEXTS.map((text) => ({ text, found: isFound(pattern, text) }));
    expect(both).toEqual(TEXTS.map((text) => ({ text, found: native(pattern, text) })));
  });

  it("agrees with the runtime on any pattern and text of a small alphabet [AX5.pattern]", () => {
    const part = fc.constantFrom("a", "b", ".", "(a|b)", "[ab]", "(?:ab)", "^", "$", "\\b");
    const pattern = fc
      .array(fc.tuple(part, fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}")), { maxLength: 5 })
      .map((parts) => parts.map(([one, times]) => (/^[\^$\\]/.test(one) ? one : one + times)).join(""));
    const text = fc.array(fc.constantFrom("a", "b", " "), { maxLength: 8 }).map((characters) => characters.join(""));
    fc.assert(fc.property(pattern, text, (one, other) => isFound(one, other) === native(one, other)));
  });

  it("takes steps in proportion to the text [AX5.pattern]", () => {
    const stepsOf = (length: number): number => {
      const search = searchPattern("^(?:a+)+$", `${"a".repeat(length)}!`);
      expect(search.advance(Infinity)).toBe(false);
      return search.taken;
    };
    expect(stepsOf(2_000) / stepsOf(1_000)).toBeLessThan(2.1);
  });
});

describe("parsePattern()", () => {
  it.each([
    ["(?=a)", 'Pattern uses "(?=" (lookahead) at character 1, which cannot be matched in linear time'],
    ["a(?<!x)", 'Pattern uses "(?<!" (lookbehind) at character 2, which cannot be matched in linear time'],
    ["(?<n>a)\\k<n>", "Pattern uses a back-reference at character 8, which cannot be matched in linear time"],
    ["(?i:a)", 'Pattern uses modifiers ("(?i:") at character 1, which cannot be matched in linear time'],
    ["((a{50}){50}){50}", 'Pattern has more than 2000 parts, with "{n}" written out'],
    ["a{0,999999999}", 'Pattern has more than 2000 parts, with "{n}" written out'],
    ["(a)".repeat(51), "Pattern has more than 50 groups"],
    ["a".repeat(2_001), "Pattern has more than 2000 characters"],
  ])("refuses %s [AX5.pattern]", (pattern, message) => {
    expect(parsePattern(pattern)).toMatchObject({ message });
  });
});
