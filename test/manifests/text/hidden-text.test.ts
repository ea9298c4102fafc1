import { describe, expect, it } from "vitest";

import { findHiddenText, problemToText, showHidden } from "../../../manifests/mod.ts";

describe("findHiddenText()", () => {
  it.each([
    ["a NUL", "a\0b"],
    ["a bell", "a\x07b"],
    ["an ANSI escape", "a\x1b[31mb"],
    ["a lone carriage return", "a\rb"],
    ["a C1 control", "a\x9bb"],
    ["delete", "a\x7fb"],
    ["a soft hyphen", "a\u00adb"],
    ["a zero-width space", "a\u200bb"],
    ["a zero-width joiner", "a\u200db"],
    ["a right-to-left override", "a\u202eb"],
    ["an isolate", "a\u2066b"],
    ["a line separator", "a\u2028b"],
    ["a word joiner", "a\u2060b"],
    ["a Hangul filler", "a\u3164b"],
    ["a byte order mark", "a\ufeffb"],
    ["a tag character", "a\u{e0041}b"],
    ["a variation selector after a letter", "a\ufe0fb"],
    ["a supplementary variation selector", "a\u{e0101}b"],
    ["a lone surrogate", "a\ud800b"],
  ])("finds %s [M5.hidden]", (_, text) => {
    expect(findHiddenText(text)?.index).toBe(1);
  });

  it.each([
    "plain",
    "",
    "two\nlines\tand a tab",
    "windows\r\nlines",
    "Grüße, 日本語, العربية, हिन्दी",
    "emoji 👍 and ⚠️",
    "no-break\u00a0space",
  ])("allows %j [M5.hidden]", (text) => {
    expect(findHiddenText(text)).toBeUndefined();
  });

  it("names the character and its place [M5.hidden]", () => {
    expect(findHiddenText("ab\u202ec")).toEqual({ index: 2, codePoint: 0x202e, description: "U+202E (right-to-left override)" });
  });
});

describe("showHidden()", () => {
  it("escapes hidden characters and keeps the rest", () => {
    expect(showHidden("a\u202eb\u{e0041}c 👍\nd\x1b")).toBe("a\\u202eb\\u{e0041}c 👍\nd\\u001b");
  });
});

describe("problemToText()", () => {
  it("returns one line without hidden characters, whatever the document contains", () => {
    const text = problemToText({
      severity: "error",
      pointer: "/a\u202e\nb",
      line: 2,
      column: 3,
      message: 'Field "\x1b[2J" is unknown',
      fix: "remove it",
    });
    expect(text).toBe('/a\\u202e\\nb (line 2, column 3): Field "\\u001b[2J" is unknown (remove it)');
  });
});
