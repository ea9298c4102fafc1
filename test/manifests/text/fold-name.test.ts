import { describe, expect, it } from "vitest";
import { foldName, foldPath } from "../../../manifests/text/fold-name.ts";

describe("foldName()", () => {
  it.each([
    ["README.md", "readme.MD"],
    ["caf\u00e9", "CAFE\u0301"],
    ["stra\u00dfe", "STRASSE"],
    ["stra\u1e9ee", "strasse"],
    ["\u017fecret", "secret"],
    ["\u212aey", "key"],
    ["\u212bngstr\u00f6m", "\u00e5ngstro\u0308m"],
    ["\u03bf\u03b4\u03cc\u03c2", "\u039f\u0394\u039f\u0301\u03a3"],
    ["\uff53ecret", "secret"],
    ["sec\u00adr\u200bet", "secret"],
    ["secret.. .", "secret"],
    ["secret::$DATA", "secret"],
    [".env.", ".ENV"],
  ])("folds %j and %j to the same text [C4.folding]", (one, other) => {
    expect(foldName(one)).toBe(foldName(other));
  });

  it.each([
    ["a", "b"],
    ["..", "."],
    ["e", "\u00e9"],
    ["a b", "ab"],
    [".env", "env"],
  ])("folds %j and %j to different texts [C4.folding]", (one, other) => {
    expect(foldName(one)).not.toBe(foldName(other));
  });

  it("folds alike whatever Unicode's simple case folding folds alike [C4.folding]", () => {
    const apart: string[] = [];
    for (let code = 0; code < 0x20000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const letter = String.fromCodePoint(code);
      for (const other of new Set([letter.toLowerCase(), letter.toUpperCase()]))
        if (other !== letter && foldName(`x${letter}`) !== foldName(`x${other}`)) apart.push(letter);
    }
    expect(apart).toEqual([]);
  });

  it("folds each name of a path [C4.folding]", () => {
    expect(foldPath("/Work/stra\u00dfe./x")).toBe("/work/strasse/x");
    expect(foldPath("/A/b.TXT")).toBe("/a/b.txt");
    expect(foldPath("/a./b")).toBe("/a/b");
    expect(foldPath("/")).toBe("/");
  });
});
