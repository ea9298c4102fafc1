/** Texts of plugins and callers, as the console shows them to a user who decides. */

import { describe, expect, it } from "vitest";
import { visible, visibleLine } from "../../console/components/visible.ts";

describe("a text on the console", () => {
  it("has its invisible and moving characters written out, and keeps lines and tabs [I5.visible]", () => {
    const text = "a\u202eb\u200bc\u{e0041}\u2028\u0000\n\t\r\nä👍";
    expect(visible(text)).toBe(`${String.raw`a\u{202e}b\u{200b}c\u{e0041}\u{2028}\u{0}`}\n\t\r\nä👍`);
    expect(visibleLine("a\nb\u2066")).toBe(String.raw`a\nb\u{2066}`);
  });
});
