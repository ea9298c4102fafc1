import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOCAL_OPERATIONS, type LocalAnswer, type LocalEnvironment } from "../../../sandbox/worker/operations/local-operations.ts";
import "../../support/seed.ts";

const ENVIRONMENT: LocalEnvironment = { monotonicMs: () => 12.5, randomBytes: (count) => new Uint8Array(count).fill(7) };

function run(operation: string, text: string, bytes?: Uint8Array): LocalAnswer {
  const local = LOCAL_OPERATIONS.get(operation);
  if (local === undefined) throw new Error(`Unknown operation "${operation}"`);
  return local(text, bytes, ENVIRONMENT);
}

const NAMES = [...LOCAL_OPERATIONS.keys()];

describe("LOCAL_OPERATIONS", () => {
  it("contain codecs, URLs, languages, the clock and randomness, and nothing that reaches the host [B5] [D5]", () => {
    expect(NAMES.toSorted()).toEqual(
      [
        ...[
          "clock.monotonic",
          "crypto.digest",
          "crypto.random",
          "crypto.supports",
          "search.format",
          "search.parse",
          "text.atob",
          "text.atobJson",
          "text.btoa",
          "text.btoaJson",
          "json.explain",
        ],
        ...["intl.call", "intl.locale", "intl.segment", "intl.static", "intl.value"],
        ...["base64.decode", "base64.encode", "hex.decode", "hex.encode", "zlib.compress", "zlib.decompress"],
        ...["text.decode", "text.encode", "text.encodeJson", "text.label", "text.utf8", "url.parse", "url.set"],
      ].toSorted(),
    );
  });

  it.each(NAMES)("%s answers any input, and never throws [B5] [B4]", (name) => {
    const inputs = [
      "",
      "null",
      "3",
      '"text"',
      "[]",
      "{}",
      "[1,2]",
      '["a"]',
      '{"__proto__":{"n":1}}',
      '{"n":-1}',
      '{"n":1e9}',
      '{"n":1.5}',
      '{"label":5}',
      '{"label":"utf-8","fatal":"yes"}',
      "{",
      "\u0000",
      "é",
      "{".repeat(50_000),
      "[".repeat(50_000),
    ];
    for (const input of inputs) expect(run(name, input, new Uint8Array([255])).answer).toMatch(/^[vse]/u);
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), fc.uint8Array(), (text, bytes) => /^[vse]/u.test(run(name, text, bytes).answer)),
    );
  });

  it.each(NAMES)("%s refuses more than 64 MiB before it reads the input [B3] [B5]", (name) => {
    const huge = "x".repeat(64 * 1024 * 1024 + 1);
    expect(run(name, huge)).toEqual({ answer: 'e{"name":"RangeError","message":"The input is larger than 67108864 bytes"}' });
  });

  it("returns no more bytes than requested, and at most the quota [B5]", () => {
    expect(run("crypto.random", '{"n":3}')).toEqual({ answer: "v", bytes: new Uint8Array([7, 7, 7]) });
    expect(run("crypto.random", '{"n":65537}').answer).toMatch(/^e\{"name":"RangeError"/u);
    expect(run("clock.monotonic", "").answer).toBe("v12.5");
  });

  it("never returns raw text with U+0000, which the boundary would cut [B5]", () => {
    const decode = (bytes: number[]): LocalAnswer => run("text.decode", '{"label":"utf-8"}', new Uint8Array(bytes));
    expect(decode([97, 0, 98])).toEqual({ answer: 'v"a\\u0000b"' });
    expect(decode([97])).toEqual({ answer: "sa" });
    expect(run("text.atob", "AAAA")).toEqual({ answer: 'v"\\u0000\\u0000\\u0000"' });
    fc.assert(fc.property(fc.uint8Array(), (bytes) => !decode([...bytes]).answer.includes("\0")));
  });

  it("reveals nothing about the runtime in an error [B5] [C10]", () => {
    expect(run("url.set", '{"href":"no","name":"host","value":"x"}')).toEqual({
      answer: 'e{"name":"TypeError","message":"The input is not valid"}',
    });
    expect(run("url.set", '{"href":"a:b","name":"constructor","value":"x"}')).toEqual({
      answer: 'e{"name":"TypeError","message":"Unknown URL part \\"constructor\\""}',
    });
    expect(run("text.label", '"nope"')).toEqual({
      answer: `e{"name":"RangeError","message":"The encoding label provided ('nope') is invalid."}`,
    });
    expect(run("text.btoa", "\u0100").answer).toMatch(/^e\{"name":"InvalidCharacterError"/u);
  });

  it("decodes a stream to the same text wherever it is split [PB1.encoding]", () => {
    const whole = fc.uint8Array({ maxLength: 24 });
    const cuts = fc.array(fc.nat(24), { maxLength: 4 });
    for (const label of ["utf-8", "utf-16le", "gb18030", "big5", "euc-jp"]) {
      fc.assert(
        fc.property(whole, cuts, (bytes, places) => {
          const ends = [...new Set(places.map((place) => Math.min(place, bytes.length)))].toSorted((a, b) => a - b);
          expect(streamed(label, bytes, [...ends, bytes.length])).toBe(new TextDecoder(label).decode(bytes));
        }),
      );
    }
  });
});

/** Decodes chunks like the guest's TextDecoder (`sandbox/guest/encoding.ts`), using only the operation. */
function streamed(label: string, bytes: Uint8Array, ends: readonly number[]): string {
  let text = "";
  let pending = new Uint8Array(0);
  let start = 0;
  let continued = false;
  for (const end of ends) {
    const chunk = Uint8Array.from([...pending, ...bytes.subarray(start, end)]);
    const answer = run("text.decode", JSON.stringify({ label, ignoreBOM: continued, stream: true, continued }), chunk);
    text += textOf(answer);
    pending = new Uint8Array(answer.bytes ?? []);
    continued ||= chunk.length > pending.length;
    start = end;
  }
  return text + textOf(run("text.decode", JSON.stringify({ label, ignoreBOM: continued, continued }), pending));
}

function textOf({ answer }: LocalAnswer): string {
  return answer.startsWith("v") ? String(JSON.parse(answer.slice(1))) : answer.slice(1);
}
