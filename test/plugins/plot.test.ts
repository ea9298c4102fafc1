import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { histogram, plot_braille, plot_function, plot_sixel, render_math } from "../../plugins/plot/main.ts";

/** Returns which dots right of the axis are set, row by row from the top. */
function dotsOf(text: string): readonly string[] {
  const rows = text.split("\n").flatMap((line) => /[│┤]([\u2800-\u28ff]+)$/u.exec(line)?.[1] ?? []);
  // Unicode 15.1, table 21-1: dots 1 2 3 7 at the left, 4 5 6 8 at the right.
  const bits = [
    [1, 8],
    [2, 16],
    [4, 32],
    [64, 128],
  ];
  return rows.flatMap((row) =>
    bits.map((pair) => [...row].flatMap((sign) => pair.map((bit) => (((sign.codePointAt(0) ?? 0) & bit) === 0 ? "." : "#"))).join("")),
  );
}

/** Decodes the pixels of a sixel text to color indexes; written from the description of the format, not from the encoder. */
function decodeSixel(text: string): { readonly width: number; readonly rows: readonly (readonly number[])[] } {
  const [, w = "0", h = "0", body = ""] = /^\u001bP0;1q"1;1;(\d+);(\d+)([^]*)\u001b\\$/u.exec(text) ?? [];
  const rows = Array.from({ length: Number(h) }, () => Array.from({ length: Number(w) }, () => -1));
  let [x, top, color] = [0, 0, -1];
  for (const [whole, definition, chosen, count, sign] of body.matchAll(/#(\d+);2;\d+;\d+;\d+|#(\d+)|!(\d+)([?-~])|[^]/gu)) {
    if (definition !== undefined) continue;
    if (chosen !== undefined) color = Number(chosen);
    else if (whole === "$") x = 0;
    else if (whole === "-") [x, top] = [0, top + 6];
    else
      for (let repeat = 0; repeat < Number(count ?? 1); repeat++, x++)
        for (let bit = 0; bit < 6; bit++) {
          const row = rows[top + bit];
          if ((((sign ?? whole).charCodeAt(0) - 63) & (1 << bit)) !== 0 && row !== undefined) row[x] = color;
        }
  }
  return { width: Number(w), rows };
}

describe("plot_braille()", () => {
  it("puts each point at its position, with lines between them [G3.plot_braille]", async () => {
    const series = [{ x: [0, 19, 19], y: [0, 11, 0] }];
    const points = await plot_braille({ series, width: 10, height: 3, style: "points" });
    const wanted = [`${".".repeat(19)}#`, ...Array.from({ length: 10 }, () => ".".repeat(20)), `#${".".repeat(18)}#`];
    expect(dotsOf(points.text)).toEqual(wanted);
    const lines = dotsOf((await plot_braille({ series, width: 10, height: 3 })).text);
    // The last column is the falling edge; the diagonal has a dot in every column.
    expect(lines.every((row) => row.endsWith("#"))).toBe(true);
    for (let column = 0; column < 20; column++) expect(lines.some((row) => row[column] === "#")).toBe(true);
    expect(points).toMatchObject({ x: { min: 0, max: 19 }, y: { min: 0, max: 11 } });
  });

  it("shows title, labels and the ends of both axes; gaps are gaps [G3.plot_braille]", async () => {
    const { text } = await plot_braille({
      series: [
        { label: "a", y: [1, null, 3] },
        { label: "b", y: [2, 2, 2] },
      ],
      width: 12,
      height: 3,
      title: "Two",
    });
    const lines = text.split("\n");
    expect([lines[0], lines.at(-1), lines.at(-2)]).toEqual(["Two", "a, b", "   0          2"]);
    expect(lines[1]).toMatch(/^3 ┤/u);
    const alone = dotsOf((await plot_braille({ series: [{ y: [1, null, 3] }], width: 12, height: 3 })).text).join("");
    expect([...alone].filter((dot) => dot === "#")).toHaveLength(2);
    await expect(plot_braille({ series: [{ y: [null] }] })).rejects.toThrow("Nothing to plot");
    await expect(plot_braille({ series: [{ x: [1], y: [1, 2] }] })).rejects.toThrow("Series 1 has 1 x and 2 y");
    await expect(plot_braille({ series: [{ y: [-1e308, 1e308] }] })).rejects.toThrow("too far apart");
  });
});

describe("plot_function()", () => {
  it("draws the value at each column, and no line across a pole [G3.plot_function]", async () => {
    const { text } = await plot_function({ expressions: ["x^2"], from: -3, to: 3, width: 20, height: 5, yMax: 9 });
    const dots = dotsOf(text);
    for (let column = 0; column < 40; column++) {
      const value = (-3 + (6 * column) / 39) ** 2;
      // The lowest value of all columns is at the two middle ones.
      const least = (-3 + (6 * 19) / 39) ** 2;
      expect(dots[Math.round((1 - (value - least) / (9 - least)) * 19)]?.[column]).toBe("#");
    }
    const pole = dotsOf(
      (await plot_function({ expressions: ["1/(x - 0.01)"], from: -2, to: 2, width: 30, height: 6, yMin: -5, yMax: 5 })).text,
    );
    const full = Array.from({ length: 60 }, (_, column) => pole.filter((row) => row[column] === "#").length);
    expect(Math.max(...full)).toBeLessThan(20);
    await expect(plot_function({ expressions: ["zz"], from: 0, to: 1 })).rejects.toThrow('unknown name "zz"');
    await expect(plot_function({ expressions: ["ln(x)"], from: -2, to: -1 })).rejects.toThrow("Nothing to plot");
  });
});

describe("histogram()", () => {
  it("counts each value once, and draws bars as long as the counts [G3.histogram]", async () => {
    const { text, bins } = await histogram({ values: [0, 1, 1, 2, 3, 4], bins: 2, width: 10 });
    expect(bins).toEqual([
      { from: 0, to: 2, count: 3 },
      { from: 2, to: 4, count: 3 },
    ]);
    expect(text).toBe("0 … 2 │██████████ 3\n2 … 4 │██████████ 3");
    // 3 of 8 is 3.75 of 10 characters.
    expect((await histogram({ values: [0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9], bins: 2, width: 10 })).text.split("\n")[0]).toBe(
      "0 … 4.5 │███▊ 3",
    );
    expect((await histogram({ values: [5, 5] })).bins).toEqual([{ from: 5, to: 5, count: 2 }]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 200 }), async (values) => {
        const found = (await histogram({ values })).bins;
        expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
        for (const [index, { from, to, count }] of found.entries()) {
          const isLast = index === found.length - 1;
          expect(values.filter((value) => value >= from && (value < to || (isLast && value <= to)))).toHaveLength(count);
        }
      }),
      { numRuns: 60, examples: [[[0.1, 0.2, 0.3, 0.4]]] },
    );
  });
});

describe("plot_sixel()", () => {
  it("draws a line from corner to corner of a picture of the given size [G3.plot_sixel]", async () => {
    const { sixel, width, height } = await plot_sixel({ series: [{ y: [1, 2] }, { y: [2, 2] }], width: 60, height: 50 });
    const picture = decodeSixel(sixel);
    expect([picture.width, picture.rows.length, width, height]).toEqual([60, 50, 60, 50]);
    expect(picture.rows.flat().every((color) => color >= 0)).toBe(true);
    expect([picture.rows[49]?.[0], picture.rows[0]?.[59], picture.rows[25]?.[29]]).toEqual([2, 3, 2]);
    expect(picture.rows[10]?.[30]).toBe(0);
  });
});

describe("render_math()", () => {
  it.each([
    ["E = mc^2", ["E = mc²"]],
    ["$x_{ij}^2 + e^{i\\pi}$", ["        iπ", "xᵢⱼ² + e"]],
    ["\\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}", ["−b ± √(b² − 4ac)", "────────────────", "       2a"]],
    ["\\sum_{i=1}^{n} i^2", ["  n", "  ∑   i²", "i = 1"]],
    ["\\lim_{x \\to 0} \\frac{\\sin x}{x} = 1", ["      sin x", " lim  ───── = 1", "x → 0   x"]],
    ["\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}", ["⎛a  b⎞", "⎝c  d⎠"]],
    ["\\left( \\frac{1}{2} \\right)^2", ["   2", "⎛1⎞", "⎜─⎟", "⎝2⎠"]],
    ["\\sqrt{\\frac{a}{b}}", [" ┌─", " │a", " │─", "╲│b"]],
    ["x = \\sqrt{\\frac{a}{b}}", ["     ┌─", "     │a", "x =  │─", "    ╲│b"]],
    ["e^{\\frac{1}{2}}_k", [" 1", " ─", " 2", "e", " k"]],
    ["f = \\begin{cases} 1 & x > 0 \\\\ 0 & \\text{else} \\end{cases}", ["f = ⎧1  x > 0", "    ⎩0  else"]],
    ["\\mathbb{R}^n \\ni \\vec{v}", ["ℝⁿ ∋ v\u20d7"]],
    ["\\forall \\epsilon > 0\\; \\exists \\delta", ["∀ϵ > 0 ∃δ"]],
    ["x = -y \\leq -1", ["x = −y ≤ −1"]],
  ])("lays out %s [G3.render_math]", async (latex, lines) => {
    expect((await render_math({ latex })).text.split("\n")).toEqual(lines);
  });

  it.each([
    ["\\frac{1}", "at character 9: something is missing at the end"],
    ["{a", 'at character 3: "}" is missing'],
    ["a}", 'at character 2: "}" has no opening counterpart'],
    ["\\foo x", "at character 1: \\foo is not known"],
    ["\\left( x", "\\right is missing"],
    ["\\begin{tabular} x", "\\begin{tabular} is not known"],
    ["x^2^3", 'there is a second "^"'],
    ["{".repeat(100), "nested deeper than 30"],
  ])("reports the error in %s [G3.render_math]", async (latex, reason) => {
    await expect(render_math({ latex })).rejects.toThrow(reason);
  });

  it("returns lines or throws, for any text [G3.render_math]", async () => {
    const pieces = fc.constantFrom(
      "\\frac",
      "{",
      "}",
      "^",
      "_",
      "\\left(",
      "\\right)",
      "\\begin{cases}",
      "\\\\",
      "&",
      "\\end{cases}",
      "x",
      "\\sum",
      "\\sqrt",
      "[",
      "]",
      " ",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 20 }), async (parts) => {
        const outcome = await render_math({ latex: parts.join("") }).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome.message).toMatch(/^Cannot read the formula at character \d+: /u);
        else expect(outcome).toEqual({ text: expect.any(String) });
      }),
      { numRuns: 500 },
    );
  });
});
