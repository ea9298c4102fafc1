import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calculate } from "../../plugins/math/main.ts";

/** An expression with its value, and the precedence of its outermost operator. */
interface Written {
  readonly text: string;
  readonly value: number;
  readonly rank: number;
}

const SUM = 1;
const PRODUCT = 2;
const SIGN = 3;
const POWER = 4;
const ATOM = 5;

const { expression } = fc.letrec<{ expression: Written; atom: Written }>((tie) => ({
  atom: fc.nat({ max: 999 }).map((value) => ({ text: String(value), value, rank: ATOM })),
  expression: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    tie("atom"),
    fc.tuple(tie("expression"), tie("expression")).map(([left, right]) => binary(left, "+", right)),
    fc.tuple(tie("expression"), tie("expression")).map(([left, right]) => binary(left, "-", right)),
    fc.tuple(tie("expression"), tie("expression")).map(([left, right]) => binary(left, "*", right)),
    fc.tuple(tie("expression"), tie("atom")).map(([left, right]) => binary(left, "/", { ...right, ...oneMore(right) })),
    fc.tuple(tie("expression"), fc.nat({ max: 3 })).map(([base, power]) => raise(base, power)),
    tie("expression").map((inner) => ({ text: `-${wrap(inner, SIGN)}`, value: -inner.value, rank: SIGN })),
    tie("expression").map((inner) => ({ text: `abs(${inner.text})`, value: Math.abs(inner.value), rank: ATOM })),
  ),
}));

function oneMore({ value }: Written): { readonly value: number; readonly text: string } {
  return { value: value + 1, text: String(value + 1) };
}

function binary(left: Written, operator: "+" | "-" | "*" | "/", right: Written): Written {
  const rank = operator === "+" || operator === "-" ? SUM : PRODUCT;
  const values = {
    "+": left.value + right.value,
    "-": left.value - right.value,
    "*": left.value * right.value,
    "/": left.value / right.value,
  };
  return { text: `${wrap(left, rank)} ${operator} ${wrap(right, rank + 1)}`, value: values[operator], rank };
}

function raise(base: Written, power: number): Written {
  return { text: `${wrap(base, POWER + 1)}^${power}`, value: base.value ** power, rank: POWER };
}

/** Adds brackets only where they are needed, so that precedence is tested. */
function wrap(part: Written, rank: number): string {
  return part.rank < rank ? `(${part.text})` : part.text;
}

async function failure(text: string): Promise<string> {
  return calculate({ expression: text }).then(
    ({ result }) => `calculated ${result}`,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

describe("calculate()", () => {
  it("has the same value as the tree in JavaScript [G3.calculate]", async () => {
    let calculated = 0;
    await fc.assert(
      fc.asyncProperty(expression, async ({ text, value }) => {
        fc.pre(Number.isFinite(value));
        calculated += 1;
        expect({ written: text, ...(await calculate({ expression: text })) }).toMatchObject({ written: text, result: value + 0 });
      }),
      { numRuns: 300 },
    );
    expect(calculated).toBeGreaterThan(200);
  });

  it("returns a finite number, or throws an error that points into the expression [G3.calculate]", async () => {
    const pieces = fc.constantFrom(
      ..."0123456789.e+-*/%^!(),[]{}'\"\\;:?=<>&|~ xπ×−".split(""),
      "sqrt",
      "constructor",
      "__proto__",
      "this",
      "max(",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 25 }), async (parts) => {
        const text = parts.join("");
        const outcome = await calculate({ expression: text }).catch((error: unknown) => error);
        if (outcome instanceof Error) {
          const place = Number(/^Cannot calculate at character (\d+): /u.exec(outcome.message)?.[1]);
          expect({ message: outcome.message, isInside: place >= 1 && place <= text.length + 1 }).toMatchObject({ isInside: true });
        } else expect(outcome).toMatchObject({ result: expect.any(Number), text: expect.any(String) });
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(Object.getOwnPropertyNames(Object.prototype))("refuses the name %s, with or without brackets", async (name) => {
    expect(await failure(name)).toMatch(/^Cannot calculate at character 1: unknown name "/u);
    expect(await failure(`${name}(1)`)).toMatch(/^Cannot calculate at character 1: unknown function "/u);
  });

  it("accepts only numbers as values of variables", async () => {
    const variables = JSON.parse('{"__proto__": 2, "constructor": 3}') as Record<string, unknown>;
    expect(await calculate({ expression: "__proto__ * constructor", variables })).toEqual({ result: 6, text: "6" });
    await expect(calculate({ expression: "1", variables: { "a b": 1 } })).rejects.toThrow('invalid variable name "a b"');
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x${index}`, index]));
    await expect(calculate({ expression: "x1", variables: many })).rejects.toThrow("there are 101 variables, more than 100");
  });

  it("points at the same position in expressions of any length", async () => {
    const text = `${"1 + ".repeat(500)}x + ${"1 + ".repeat(400)}1`;
    expect(await failure(text)).toBe(
      `Cannot calculate at character 2001: unknown name "x" (there are pi, π, tau, τ, e, phi; give others as variables)
  …${"1 + ".repeat(10)}x + ${"1 + ".repeat(6)}1 …
  ${" ".repeat(41)}^`,
    );
  });

  it("calculates combinations exactly if a double holds them", async () => {
    const row = [1n];
    for (let n = 1; n <= 54; n++) {
      for (let k = row.length - 1; k > 0; k--) row[k] = (row[k] ?? 0n) + (row[k - 1] ?? 0n);
      row.push(1n);
      for (const [k, wanted] of row.entries()) {
        if (wanted > Number.MAX_SAFE_INTEGER) continue;
        expect((await calculate({ expression: `nCr(${n}, ${k})` })).result).toBe(Number(wanted));
      }
    }
  });

  it.each([
    ["round(2.5)", 3],
    ["round(-2.5)", -3],
    ["round(1.005, 2)", 1.01],
    ["round(8.345, 2)", 8.35],
    ["round(1250, -2)", 1300],
    ["round(1e300, 5)", 1e300],
    ["round(5e-324, 3)", 0],
    ["mod(-7, 3)", 2],
    ["-7 % 3", -1],
    ["log(8, 2) + log(1000, 10)", 6],
    ["gcd(12, 18) + lcm(4, 6)", 18],
    ["nPr(5, 2) + factorial(4)", 44],
    ["2 ** 3 ** 2", 512],
    ["(-8)^(1/1)", -8],
    ["0^0", 1],
    ["3!^2 - -3!", 42],
  ])("calculates %s", async (text, result) => {
    expect((await calculate({ expression: text })).result).toBe(result);
  });

  it.each([
    ["(-8)^(1/3)", '"(-8)^(1/3)" is not a real number'],
    ["171!", '"171!" is beyond the largest double'],
    ["1.5!", "only whole numbers from 0 on have a factorial, not 1.5"],
    ["3!!", '"!!" is ambiguous'],
    ["0^-1", "division by zero (0 to a negative power)"],
    ["7 % 0", "division by zero"],
    ["sin 30", 'an operator is missing before "30"'],
    ["sin", '"sin" is a function (write sin(…))'],
    ["sin()", "sin() takes 1 argument, not 0"],
    ["round(1, 2, 3)", "round() takes 1 to 2 arguments, not 3"],
    ["pi(2)", "a value is not a function"],
    ["a = 1", 'a value or operator was expected; found "="'],
    ["1; 2", "an operator is missing"],
    ["'x'", "texts cannot be calculated with"],
    ["1e", "the exponent of the number is missing"],
    ["   ", "nothing to calculate"],
  ])("says what is wrong with %s", async (text, reason) => {
    expect(await failure(text)).toContain(reason);
  });
});
