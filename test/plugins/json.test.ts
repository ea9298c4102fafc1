import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { json_parse, json_query } from "../../plugins/data/main.ts";

const jsonText = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        ..."[]{}:,\"\\/'0123456789.eE+- \n\t\u0001a".split(""),
        "true",
        "null",
        '"a"',
        '"a":',
        "//",
        "/*",
        "*/",
        "1.5",
        "\\u00e9",
      ),
      { maxLength: 15 },
    )
    .map((parts) => parts.join("")),
  fc.json({ maxDepth: 4 }),
  fc.json({ maxDepth: 4, stringUnit: "binary" }).map((text) => text.slice(0, -1)),
);

function parsed(text: string): { readonly value?: unknown; readonly fails?: true } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { fails: true };
  }
}

describe("json_parse()", () => {
  it("accepts the same texts as JSON.parse, and reports the position of errors [G3.json_parse]", async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, async (text) => {
        const outcome = await json_parse({ text }).then(
          ({ value }) => ({ value }),
          (error: unknown) => error,
        );
        if (!(outcome instanceof Error)) expect(outcome).toEqual(parsed(text));
        else {
          expect({ text, ...parsed(text) }).toEqual({ text, fails: true });
          expect(outcome.message).toMatch(/^Cannot read the JSON at line \d+, column \d+: ./u);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("removes only commas before a closing bracket", async () => {
    expect((await json_parse({ text: '[null, {}, [], {"a": [1, ], "b": {}, }, ]', lenient: true })).value).toEqual([
      null,
      {},
      [],
      { a: [1], b: {} },
    ]);
  });

  it("reads the same with comments and trailing commas, if lenient", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        const text = JSON.stringify(value, undefined, 1).replaceAll(/\n *([\]}])/gu, ", /* ] */ // }\n$1");
        expect((await json_parse({ text, lenient: true })).value).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("warns of every number that is read as another one", async () => {
    const digits = fc.bigInt({ min: 0n, max: 10n ** 25n });
    await fc.assert(
      fc.asyncProperty(digits, async (number) => {
        const { value, warnings } = await json_parse({ text: String(number) });
        // Precision is lost if the shortest text of the double is another number.
        const isLost = BigInt(number) !== BigInt(Number(number)) && String(number).replace(/0+$/u, "") !== shortest(Number(value));
        expect({ number, warned: warnings.length }).toEqual({ number, warned: isLost ? 1 : 0 });
      }),
    );
  });
});

function shortest(value: number): string {
  return String(value).replace(/e.*$/u, "").replace(".", "").replace(/0+$/u, "");
}

describe("json_query()", () => {
  it("returns any data whole for @", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (data) => {
        expect(await json_query({ data, expression: "@" })).toEqual({ result: data });
      }),
    );
  });

  it("returns a result or an error with a position for any expression [G3.json_query]", async () => {
    const piece = fc.constantFrom(
      ..."abc.[]*|&!?(){}:,@$'\"`<>=-+/% 019\\#".split(""),
      "[?",
      "[]",
      "||",
      "&&",
      "==",
      "`1`",
      "'x'",
      "sort(",
      "length(",
      "constructor",
      "__proto__",
      "let $x = ",
      " in ",
    );
    const data = { a: [{ b: 1 }, { b: "x" }, null], b: { c: [] }, c: "text" };
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 14 }), async (parts) => {
        const expression = parts.join("");
        const outcome = await json_query({ data, expression }).catch((error: unknown) => error);
        if (!(outcome instanceof Error)) expect(JSON.stringify(outcome)).toMatch(/^\{"result":/u);
        else expect(outcome.message).toMatch(/^(Invalid JMESPath at character \d+: |Cannot evaluate the JMESPath expression)/u);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each(Object.getOwnPropertyNames(Object.prototype))("finds %s only if the data has it [G3.json_query]", async (name) => {
    const own = JSON.parse(`{"${name}": [1], "in": {"${name}": 2}}`) as unknown;
    expect(await json_query({ data: { a: {} }, expression: `[${name}, a.${name}, a[].${name}, {x: a}.${name}, length(keys(a))]` })).toEqual(
      {
        result: [null, null, null, null, 0],
      },
    );
    expect(await json_query({ data: own, expression: `[${name}[0], in.${name}]` })).toEqual({ result: [1, 2] });
  });

  it("sorts numbers by size and texts by code point, as specified", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer()), fc.array(fc.string({ unit: "binary", maxLength: 4 })), async (numbers, texts) => {
        const bySize = numbers.toSorted((left, right) => left - right);
        const byPoint = texts.toSorted(comparePoints);
        expect(
          await json_query({
            data: { numbers, texts },
            expression: "{n: sort(numbers), t: sort(texts), max: max(numbers), min: min(texts)}",
          }),
        ).toEqual({
          result: { n: bySize, t: byPoint, max: bySize.at(-1) ?? null, min: byPoint[0] ?? null },
        });
      }),
    );
  });

  it("compares more values than the arguments of one call can hold", async () => {
    const data = Array.from({ length: 200_000 }, (_, index) => index);
    expect(await json_query({ data, expression: "[max(@), min(@), sort(@)[-1]]" })).toEqual({ result: [199_999, 0, 199_999] });
  });

  it.each([
    ["to_number('0x10')", null],
    ["to_number('-1.5e3')", -1500],
    ["to_number('1e999')", null],
    ["to_number('')", null],
    ["[1, 2][0] | @", null],
    ["`[1,2]`[0]", 1],
    ["'\\\\'", "\\"],
    ["length('a😀')", 2],
    ["join(', ', ['a', 'b'])", "a, b"],
    ["let $x = `2` in [$x, $x]", [2, 2]],
    ["`1` + `2`", 3],
  ])("answers %s", async (expression, result) => {
    const outcome = await json_query({ data: {}, expression }).catch(() => ({ result: null }));
    expect(outcome).toEqual({ result });
  });
});

function comparePoints(left: string, right: string): number {
  const [a, b] = [left, right].map((text) => Array.from(text, (character) => character.codePointAt(0) ?? 0)) as [number[], number[]];
  const at = a.findIndex((point, index) => point !== b[index]);
  if (at === -1) return a.length - b.length;
  return at >= b.length ? 1 : (a[at] ?? 0) - (b[at] ?? 0);
}
