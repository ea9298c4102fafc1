/** Texts of plugins and callers, as the console shows them to a user who decides. */

import { describe, expect, it } from "vitest";
import { visible, visibleLine } from "../../console/components/visible.ts";

describe("a text on the console", () => {
  it("has its invisible and moving characters written out, and keeps lines and tabs [I5.visible]", () => {
    const text = "a\u202eb\u200bc\u{e0041}\u2028\u0000\n\t\r\nä👍";
    expect(visible(text)).toBe(`${String.raw`a\u{202e}b\u{200b}c\u{e0041}\u{2028}\u{0}`}\n\t\r\nä👍`);
    expect(visible("\u3164\u034f\u{e0101}\ue000\ud800\u2800")).toBe(String.raw`\u{3164}\u{34f}\u{e0101}\u{e000}\u{d800}\u{2800}`);
    expect(visible("\u26a0\ufe0f")).toBe("\u26a0\ufe0f");
    expect(visibleLine("a\nb\u2066")).toBe(String.raw`a\nb\u{2066}`);
  });

  it("cannot cover other lines with stacked marks [I5.visible]", () => {
    expect(visible(`a${"\u0301".repeat(4)}b${"\u0301".repeat(6)}c`)).toBe(`a${"\u0301".repeat(4)}b${"\u0301".repeat(4)}\\u{301}\\u{301}c`);
  });
});
