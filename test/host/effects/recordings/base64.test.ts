import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase64, toBase64 } from "../../../../host/effects/recordings/base64.ts";
import "../../../support/seed.ts";

describe("base64", () => {
  it("encodes as btoa does, and decodes it [B8.base64]", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        expect(toBase64(bytes)).toBe(btoa(String.fromCharCode(...bytes)));
        expect(fromBase64(toBase64(bytes))).toEqual(bytes);
      }),
    );
  });

  it("refuses text that is not valid base64", () => {
    for (const text of ["A", "AB", "ABC", "====", "A===", "AB=C", "A BC", "AB\u0141=", "AB-_", "=ABC", "AAAA=AAA"])
      expect(fromBase64(text)).toBeUndefined();
    expect(fromBase64("")).toEqual(new Uint8Array(0));
  });
});
