import { describe, expect, it } from "vitest";
import { count, printable, printableLines, shorten, shortenWords, textWidth, wrapWords } from "../../../host/primitives/text.ts";

describe("printable()", () => {
  it.each([
    ["an ANSI escape", "\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"],
    ["a title sequence", "\x1b]0;owned\x07", "\\x1b]0;owned\\x07"],
    ["a C1 control", "a\u009b2Jb", "a\\x9b2Jb"],
    ["line ends, tabs and NUL", "a\r\nb\tc\0", "a\\r\\nb\\tc\\0"],
    ["bidi controls", "\u202egnp.exe\u2066x", "\\u{202e}gnp.exe\\u{2066}x"],
    ["zero-width and tag characters", "a\u200bb\u{e0041}", "a\\u{200b}b\\u{e0041}"],
    ["line separators", "a\u2028b\u2029", "a\\u{2028}b\\u{2029}"],
    ["lone surrogates", "a\ud800b", "a\\u{d800}b"],
  ])("escapes %s [I2.inert]", (_name, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("keeps letters of every script and emoji [I2.inert]", () => {
    expect(printable("Grüße, 世界, שלום, 😀!")).toBe("Grüße, 世界, שלום, 😀!");
  });
});

describe("printableLines()", () => {
  it("keeps line ends and tabs only [I2.inert]", () => {
    expect(printableLines("a\r\n\tb\x1b[2J\rc")).toBe("a\n\tb\\x1b[2J\\rc");
  });
});

describe("shorten() and count()", () => {
  it("shortens to cells of a terminal, and forms plurals [DI6.width]", () => {
    const written = ["abc", "abcd", "😀😀😀", "表を描く", "e\u0301e\u0301e\u0301e\u0301"];
    expect(written.map((text) => shorten(text, 3))).toEqual(["abc", "ab…", "😀…", "表…", "e\u0301e\u0301…"]);
    expect([...written, "\x1b[1mab\x1b[22m"].map(textWidth)).toEqual([3, 4, 6, 8, 4, 2]);
    expect([count(0, "tool"), count(1, "tool"), count(2, "tool")]).toEqual(["0 tools", "1 tool", "2 tools"]);
  });
});

describe("wrapWords() and shortenWords()", () => {
  it("break between words, and keep long words whole [I2.wrap]", () => {
    expect(wrapWords("one two three", 7)).toEqual(["one two", "three"]);
    expect(wrapWords("a-very-long-word and more", 8)).toEqual(["a-very-long-word", "and more"]);
    expect(wrapWords("two  spaces", Infinity)).toEqual(["two  spaces"]);
    expect(["whole words only", "whole words", "incomprehensibilities"].map((text) => shortenWords(text, 14))).toEqual([
      "whole words…",
      "whole words",
      "incomprehensi…",
    ]);
  });
});
