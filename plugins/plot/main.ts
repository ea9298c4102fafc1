/** Tools that draw numbers and formulas as text, and as pictures for terminals. They need no permission. */

import { drawBars } from "./bars.ts";
import type {
  HistogramArgs,
  HistogramOutput,
  PlotBrailleArgs,
  PlotBrailleOutput,
  PlotFunctionArgs,
  PlotFunctionOutput,
  PlotSixelArgs,
  PlotSixelOutput,
  RenderMathArgs,
  RenderMathOutput,
} from "./bascule.d.ts";
import { drawBraille } from "./braille.ts";
import { compileExpression } from "./expressions/compile.ts";
import { binsOf } from "./histogram-bins.ts";
import { setLatex } from "./latex.ts";
import { frameOf, readSeries, type Series } from "./series.ts";
import { drawSixel } from "./sixel.ts";

const DEFAULT_WIDTH = 60;
const DEFAULT_HEIGHT = 15;
const DEFAULT_PIXELS = { width: 480, height: 300 };

/** Draws lines or points with the dots of Braille. */
export async function plot_braille(args: PlotBrailleArgs): Promise<PlotBrailleOutput> {
  const series = readSeries(args.series);
  const { width = DEFAULT_WIDTH, height = DEFAULT_HEIGHT, style = "line", title, yMin, yMax } = args;
  const frame = frameOf(series, { yMin, yMax });
  return { text: drawBraille(series, { width, height, style, title, frame }), ...frame };
}

/** Draws expressions of x. */
export async function plot_function(args: PlotFunctionArgs): Promise<PlotFunctionOutput> {
  const { width = DEFAULT_WIDTH, height = DEFAULT_HEIGHT, from, to, yMin, yMax } = args;
  if (from >= to) throw new Error(`Nothing to plot from ${from} to ${to} (from must be below to)`);
  // One value for each column of dots.
  const count = width * 2;
  const series = args.expressions.map((expression): Series => {
    const value = compileExpression(expression, ["x"]);
    const points = Array.from({ length: count }, (_, index) => {
      const x = index === count - 1 ? to : from + ((to - from) * index) / (count - 1);
      return [x, value([x])] as const;
    });
    return { label: expression, points };
  });
  const frame = { ...frameOf(series, { yMin, yMax }), x: { min: from, max: to } };
  return { text: drawBraille(series, { width, height, style: "line", frame, title: undefined }), ...frame };
}

/** Counts values in intervals and draws a bar for each. */
export async function histogram(args: HistogramArgs): Promise<HistogramOutput> {
  const bins = binsOf(args.values, args.bins);
  return { text: drawBars(bins, args.width ?? DEFAULT_WIDTH), bins: [...bins] };
}

/** Draws lines as a sixel picture for terminals. */
export async function plot_sixel(args: PlotSixelArgs): Promise<PlotSixelOutput> {
  const series = readSeries(args.series);
  const { width = DEFAULT_PIXELS.width, height = DEFAULT_PIXELS.height, yMin, yMax } = args;
  const frame = frameOf(series, { yMin, yMax });
  return { sixel: drawSixel(series, { width, height, frame }), width, height, ...frame };
}

/** Lays out a formula as text. */
export async function render_math(args: RenderMathArgs): Promise<RenderMathOutput> {
  return { text: setLatex(args.latex) };
}
