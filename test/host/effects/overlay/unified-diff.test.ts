import { applyPatch } from "diff";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../../../host/effects/overlay/unified-diff.ts";
import "../../../support/seed.ts";

async function diff(left: string, right: string): Promise<string | undefined> {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  return await unifiedDiff({ label: "a/x", bytes: bytes(left) }, { label: "b/x", bytes: bytes(right) });
}

const numbered = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join("\n");

describe("unifiedDiff()", () => {
  it("describes exactly how one text becomes the other [E8.diff]", async () => {
    const text = fc
      .tuple(fc.array(fc.constantFrom("a", "b", "", "c\r", "long line"), { maxLength: 12 }), fc.boolean())
      .map(([lines, isEnded]) => lines.join("\n") + (isEnded ? "\n" : ""));
    await fc.assert(
      fc.asyncProperty(text, text, text, text, async (begin, before, after, end) => {
        const [left, right] = [begin + before + end, begin + after + end];
        if (left === right) return;
        expect(applyPatch(left, (await diff(left, right)) ?? "none", { autoConvertLineEndings: false })).toBe(right);
      }),
      { numRuns: 400 },
    );
  });

  it("counts lines from the start of the file, however many are equal [E8.diff]", async () => {
    const patch = await diff(
      numbered(40_000, (n) => `line ${n}`),
      numbered(40_000, (n) => (n === 30_000 ? "other" : `line ${n}`)),
    );
    expect(patch?.split("\n")).toEqual([
      "--- a/x",
      "+++ b/x",
      "@@ -29998,7 +29998,7 @@",
      ...[29_997, 29_998, 29_999].map((n) => ` line ${n}`),
      "-line 30000",
      "+other",
      ...[30_001, 30_002, 30_003].map((n) => ` line ${n}`),
      "",
    ]);
  });

  it("shows very different texts as replaced, or not at all, instead of searching for the shortest diff [E8.diff, B1]", async () => {
    const [left, right] = [numbered(3_000, (n) => "ab"[n % 2] ?? ""), numbered(3_000, (n) => "abb"[n % 3] ?? "")];
    const signs = ((await diff(left, right)) ?? "")
      .split("\n")
      .slice(3, -1)
      .map((line) => line.slice(0, 1));
    expect(signs.join("")).toMatch(/^-{2990,}\+{2990,}\\?$|^ *-{2990,}\\?\+{2990,}\\?$/);
    expect(
      await diff(
        numbered(250_000, (n) => `a${n % 10}`),
        numbered(250_000, (n) => `b${n % 10}`),
      ),
    ).toBeUndefined();
    expect(await diff("\n".repeat(1_000_000), "\nx".repeat(500_000))).toBeUndefined();
    expect(await diff("x".repeat(200_000), "y".repeat(200_000))).toBeUndefined();
    const made = await diff(
      "",
      numbered(9_000, (n) => String(n)),
    );
    expect(made?.startsWith("--- a/x\n+++ b/x\n@@ -0,0 +1,9000 @@\n+0\n")).toBe(true);
  });

  it("escapes line breaks in file names [E8.diff]", async () => {
    const bytes = new TextEncoder().encode("x");
    const patch = await unifiedDiff({ label: "a/x\n+++ b/y", bytes: new Uint8Array() }, { label: "b/x\u2028", bytes });
    expect(patch?.split("\n").slice(0, 3)).toEqual(['--- "a/x\\n+++ b/y"', '+++ "b/x\u2028"', "@@ -0,0 +1,1 @@"]);
  });
});
