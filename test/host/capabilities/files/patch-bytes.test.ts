import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PatchedBytes, patchBytes } from "../../../../host/capabilities/files/patch-bytes.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Returns the result and the number of slices. */
function patched(bytes: Uint8Array, old: string, replacement: string): { readonly done: PatchedBytes; readonly slices: number } {
  const work = patchBytes(bytes, { old, replacement });
  for (let slices = 1; ; slices++) {
    const { done, value } = work.next();
    if (done === true) return { done: value, slices };
  }
}

/** Reference implementation with the engine's own search. */
function expected(text: string, old: string, replacement: string): string | undefined {
  const first = text.indexOf(old);
  return old === "" || first === -1 || text.includes(old, first + 1) ? undefined : text.replace(old, () => replacement);
}

describe("patchBytes()", () => {
  it("replaces the only occurrence, as a text search does [C8] [LV2.patch]", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "b", "ü", "🦕", "\ufffd"), maxLength: 12 });
    fc.assert(
      fc.property(
        texts,
        fc.string({ unit: fc.constantFrom("a", "b", "ü", "🦕", "\ufffd"), maxLength: 4 }),
        texts,
        (text, old, replacement) => {
          const { done } = patched(utf8(text), old, replacement);
          expect(done.ok ? new TextDecoder().decode(done.bytes) : undefined).toBe(expected(text, old, replacement));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("does not match half of a character [C8.patch]", () => {
    for (const half of ["\ud83e", "\udd95"]) expect(patched(utf8("🦕\ufffd"), half, "").done).toMatchObject({ ok: false });
  });

  it("refuses bytes that are not UTF-8, and keeps a byte order mark [C8.patch]", () => {
    expect(patched(Uint8Array.of(0x61, 0xff), "a", "b").done).toEqual({ ok: false, problem: "it is not UTF-8 text" });
    expect(patched(Uint8Array.of(0x61, 0xc3), "a", "b").done).toEqual({ ok: false, problem: "it is not UTF-8 text" });
    expect(patched(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), "a", "b").done).toEqual({
      ok: true,
      bytes: Uint8Array.of(0xef, 0xbb, 0xbf, 0x62),
    });
  });

  it("searches in slices, also for texts that take the engine half a minute [LV1.patch] [LV2.patch]", () => {
    const old = `${"a".repeat(200_000)}b${"a".repeat(200_000)}`;
    const { done, slices } = patched(utf8("a".repeat(1_000_000)), old, "");
    expect(done).toMatchObject({ ok: false, problem: expect.stringContaining("does not occur") as string });
    expect(slices).toBeGreaterThan(1_400_000 / (64 * 1024));
  });
});
