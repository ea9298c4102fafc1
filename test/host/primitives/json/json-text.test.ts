import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonText } from "../../../../host/primitives/json/json-text.ts";
import "../../../support/seed.ts";

const bounds = { maxBytes: 1_000, maxDepth: 8 };

describe("readJsonText()", () => {
  it.each<[string, number]>([
    ["", 0],
    ["{", 1],
    ["[1,]", 3],
    ['{"a":1,}', 7],
    ["{a:1}", 1],
    ['{"a" 1}', 5],
    ["[1 2]", 3],
    ["nul", 0],
    ["01", 1],
    ['"ab\ncd"', 3],
    ['"\\x"', 1],
    ['"open', 5],
    ["{} x", 3],
    ["]", 0],
    ['{"a":[1,{"b":tru}]}', 13],
  ])("reports the position of the mistake in %j [S3]", (text, position) => {
    expect(readJsonText(text, bounds)).toEqual({ ok: false, position });
  });

  it("accepts the same texts as JSON.parse, and finds a position in all others [S3]", () => {
    const broken = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.constantFrom("", "x", "}", "]", ",", '"', "\\", "1"))
      .map(([text, at, noise]) => {
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + noise + text.slice(cut + 1);
      });
    fc.assert(
      fc.property(broken, (text) => {
        let expected: unknown;
        try {
          expected = { ok: true, value: JSON.parse(text) };
        } catch {
          const read = readJsonText(text, { maxBytes: 1e6, maxDepth: 100 });
          if (read.ok || !("position" in read)) throw new Error("not refused");
          // The text before the position is a valid prefix of JSON.
          expect(read.position).toBeLessThanOrEqual(text.length);
          return;
        }
        expect(readJsonText(text, { maxBytes: 1e6, maxDepth: 100 })).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it("refuses text that is too long or too deep before parsing it [S3.size]", () => {
    expect(readJsonText(`"${"x".repeat(1_000)}"`, bounds)).toEqual({ ok: false, tooLarge: "bytes" });
    expect(readJsonText("[".repeat(500), bounds)).toEqual({ ok: false, tooLarge: "depth" });
    expect(readJsonText(`"${"[".repeat(500)}"`, bounds)).toMatchObject({ ok: true });
  });
});
