import assert from "node:assert/strict";
import { histogram, plot_function, render_math } from "./main.ts";

Deno.test("plot_function draws a line from corner to corner", async () => {
  const { text } = await plot_function({ expressions: ["x"], from: 0, to: 1, width: 10, height: 5 });
  const rows = text.split("\n").slice(0, 5);
  assert.match(rows[4] ?? "", /┤[⡀⣀⡠⣠]/u);
  assert.match(rows[0] ?? "", /[⠉⠊⠁⠈⠋⠚]$/u);
});

Deno.test("histogram counts", async () => {
  const { bins } = await histogram({ values: [1, 1, 2], bins: 2 });
  assert.deepEqual(
    bins.map(({ count }) => count),
    [2, 1],
  );
});

Deno.test("render_math sets fractions", async () => {
  assert.equal((await render_math({ latex: "\\frac{1}{2}" })).text, "1\n─\n2");
});
