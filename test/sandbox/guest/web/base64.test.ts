import { describe, expect, it } from "vitest";
import { askBoth } from "../oracle.ts";

const CASES = [
  ...["", "abcd", " YWJj ", "YQ==", "YQ=", "YQ", "Y", "YQ===", "ab\\0c", "AAAA", "/+8=", "_-8=", "YWJjé", "=", "\\n\\t\\f\\r Y Q"].map(
    (text) => `atob("${text}")`,
  ),
  ...["", "a", "a\\0b", "ÿ", "\\u0100", "😀"].map((text) => `btoa("${text}")`),
  `atob(null)`,
  `btoa(undefined)`,
  `btoa(12)`,
  `atob()`,
  `btoa(Symbol())`,
  `atob(btoa(Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join(""))).length`,
  `[atob.length, btoa.name]`,
];

describe("atob() and btoa()", () => {
  it("return the same as in Deno, U+0000 included [PB1.base64] [B5]", async () => {
    const { deno, guest } = await askBoth(CASES);
    expect(guest).toEqual(deno);
  });
});
