import { describe, expect, it } from "vitest";
import { redactBytes, type SecretSearch } from "../../../../host/capabilities/secrets/redact-bytes.ts";
import { createSecrets } from "../../../../host/capabilities/secrets/secrets.ts";
import type { JsonValue } from "../../../../manifests/mod.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const VALUE = 'p"a\\ss/wörd\n1';
const SLICE = 64 * 1024;

function secrets() {
  const made = createSecrets({ platform: memoryPlatform(), sources: () => ({}), root: WORKSPACE });
  made.learn("KEY", VALUE);
  made.learn("PIN", "123456");
  return made;
}

function run(work: Generator<void, Uint8Array>): { readonly bytes: Uint8Array; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = work.next();
    if (done === true) return { bytes: value, pauses };
  }
}

describe("Secrets.redactBytes()", () => {
  it("redacts JSON bytes as it redacts the value, wherever slices end [LV2.secrets]", () => {
    const all = secrets();
    const values: JsonValue[] = [
      [VALUE, { [VALUE]: 1, inner: `x${VALUE}y${VALUE}` }],
      { json: JSON.stringify({ key: VALUE }), base64: btoa(unescape(encodeURIComponent(VALUE))), url: encodeURIComponent(VALUE) },
      // The number is not a string, so it stays.
      [123456, "123456", `\\n123456`],
      ["p", '"a\\ss'],
    ];
    for (let before = SLICE - 40; before <= SLICE + 4; before++)
      values.push(["é".repeat(before / 2), `${"x".repeat(before)}${VALUE}${"y".repeat(100)}`]);
    values.push(`${"\\\n".repeat(SLICE)}${VALUE}`);
    for (const value of values) {
      const { bytes } = run(all.redactBytes({ kind: "json", bytes: encoder.encode(JSON.stringify(value)) }));
      expect(JSON.parse(decoder.decode(bytes))).toEqual(all.redact(value));
    }
  });

  it("redacts text bytes as it redacts the text, and returns clean bytes unchanged [LV2.secrets]", () => {
    const all = secrets();
    for (let before = SLICE - 20; before <= SLICE; before++) {
      const text = `${"ü".repeat(before / 2)}${VALUE} and 123456`;
      expect(decoder.decode(run(all.redactBytes({ kind: "text", bytes: encoder.encode(text) })).bytes)).toBe(all.redact(text));
    }
    const clean = encoder.encode(JSON.stringify(Array.from({ length: 50_000 }, () => "clean")));
    for (const kind of ["text", "json"] as const) expect(run(all.redactBytes({ kind, bytes: clean })).bytes).toBe(clean);
  });

  it("yields after each slice [LV2.secrets]", () => {
    const search: SecretSearch = { text: () => expect.unreachable(), json: () => expect.unreachable() };
    expect(() => run(redactBytes({ kind: "text", bytes: new Uint8Array(1) }, search))).toThrow();
    const bytes = encoder.encode(JSON.stringify([VALUE, "x".repeat(10 * SLICE), ...Array.from({ length: SLICE }, () => "short")]));
    expect(run(secrets().redactBytes({ kind: "json", bytes })).pauses).toBeGreaterThan(15);
  });
});
