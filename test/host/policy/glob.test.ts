import { describe, expect, it } from "vitest";
import { literalLength, matchesGlob } from "../../../host/policy/glob.ts";

describe("matchesGlob()", () => {
  it.each<[string, string, boolean]>([
    ["*", "", true],
    ["*", "words.grep", true],
    ["words.*", "words.grep", true],
    ["words.*", "wordsy.grep", false],
    ["*.grep", "words.grep", true],
    ["w*s.g?ep", "words.grep", true],
    ["w*s.g?ep", "words.gep", false],
    ["a*b*c", "aXbXbXc", true],
    ["a*b*c", "aXbX", false],
    ["[a]", "a", false],
    ["", "a", false],
  ])("%j and %j: %j [P2]", (pattern, name, expected) => {
    expect(matchesGlob(pattern, name)).toBe(expected);
  });

  it("does not slow down on patterns made for backtracking", () => {
    expect(matchesGlob("a*".repeat(200), "a".repeat(2_000) + "b")).toBe(true);
    expect(matchesGlob(`${"a*".repeat(200)}c`, "a".repeat(2_000))).toBe(false);
  });
});

describe("literalLength()", () => {
  it("counts literal characters [P2]", () => {
    expect([literalLength("words.*"), literalLength("*?*"), literalLength("abc")]).toEqual([6, 0, 3]);
  });
});
