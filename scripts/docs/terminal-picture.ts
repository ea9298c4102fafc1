/** A terminal's screen as an SVG: the text stays text, so that it can be read aloud, searched and copied. */

import { createRequire } from "node:module";
import type { IBuffer, IBufferCell, Terminal as XtermTerminal } from "@xterm/headless";
import { escapeHtml } from "./html.ts";

/** By `require`, because the package names a module file that it does not contain. */
const { Terminal } = createRequire(import.meta.url)("@xterm/headless") as { readonly Terminal: typeof XtermTerminal };

/** Columns of every picture, as wide as the text of a page. */
export const COLUMNS = 84;
const ROWS = 200;

const CELL = { width: 8.4, height: 21 };
const PADDING = 18;
const BAR = 34;
/** Colours 0 to 15: dark and bright black, red, green, yellow, blue, magenta, cyan, white. */
const PALETTE = [
  ...["#6b7382", "#ff8f87", "#8ad6a4", "#f0c674", "#8fb4ff", "#d9a0f5", "#7fd1e3", "#e6e9ee"],
  ...["#838c9a", "#ff8f87", "#8ad6a4", "#f0c674", "#8fb4ff", "#d9a0f5", "#7fd1e3", "#ffffff"],
];

/** Cells of one line that look the same. */
interface Run {
  readonly column: number;
  readonly columns: number;
  readonly text: string;
  readonly style: string;
}

/**
 * Draws what a terminal shows after this output, from its first line to its last written one.
 *
 * @param output bytes of a program, with the escape sequences of a terminal
 * @param title of the window
 */
export async function terminalPicture(output: string, title: string): Promise<string> {
  const terminal = new Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const lines = linesOf(terminal.buffer.active);
  terminal.dispose();
  const width = Math.ceil(COLUMNS * CELL.width + 2 * PADDING);
  const height = BAR + lines.length * CELL.height + 2 * PADDING - 8;
  const rows = lines.flatMap((runs, row) => runs.map((run) => textOf(run, BAR + PADDING + row * CELL.height + 9)));
  const dots = ["#ff6b60", "#f5bd4f", "#61c554"].map(
    (colour, at) => `<circle cx="${20 + at * 18}" cy="${BAR / 2}" r="5.5" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="'JetBrains Mono Variable', ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d5dae2">`,
    `<rect width="${width}" height="${height}" rx="10" fill="#14171d"/>`,
    `<path d="M0 ${BAR}h${width}" stroke="#2a303a"/>`,
    ...dots,
    `<text x="${width / 2}" y="${BAR / 2 + 4.5}" text-anchor="middle" font-size="12.5" fill="#8b94a2">${escapeHtml(title)}</text>`,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

function linesOf(buffer: IBuffer): readonly (readonly Run[])[] {
  const lines: (readonly Run[])[] = [];
  for (let row = 0; row < buffer.length; row++) {
    const line = buffer.getLine(row);
    const runs: { column: number; columns: number; text: string; style: string }[] = [];
    for (let column = 0; line !== undefined && column < COLUMNS; column++) {
      const cell = line.getCell(column);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const [style, last] = [styleOf(cell), runs.at(-1)];
      if (last?.style === style) {
        last.text += cell.getChars() || " ";
        last.columns += cell.getWidth();
      } else runs.push({ column, columns: cell.getWidth(), text: cell.getChars() || " ", style });
    }
    lines.push(runs.map(withoutEnd).filter(({ text }) => text !== ""));
  }
  const written = lines.findLastIndex((runs) => runs.length > 0);
  return lines.slice(0, written + 1);
}

/** Blanks at the end of a run are not drawn. */
function withoutEnd(run: Run): Run {
  const text = run.text.trimEnd();
  return { ...run, text, columns: run.columns - (run.text.length - text.length) };
}

function styleOf(cell: IBufferCell): string {
  const colour = cell.isFgRGB() ? `#${cell.getFgColor().toString(16).padStart(6, "0")}` : PALETTE[cell.getFgColor()];
  const parts = cell.isFgDefault() || colour === undefined ? [] : [`fill="${colour}"`];
  if (cell.isBold() !== 0) parts.push('font-weight="700"');
  if (cell.isDim() !== 0) parts.push('opacity="0.65"');
  if (cell.isItalic() !== 0) parts.push('font-style="italic"');
  if (cell.isUnderline() !== 0) parts.push('text-decoration="underline"');
  return parts.join(" ");
}

/** A run has its exact width, so that columns stay in line in any font. */
function textOf({ column, columns, text, style }: Run, y: number): string {
  const indent = text.length - text.trimStart().length;
  const [x, length] = [PADDING + (column + indent) * CELL.width, (columns - indent) * CELL.width];
  const attributes = [`x="${x.toFixed(1)}"`, `y="${y}"`, `textLength="${length.toFixed(1)}"`, 'xml:space="preserve"', style];
  return `<text ${attributes.filter((one) => one !== "").join(" ")}>${escapeHtml(text.trimStart())}</text>`;
}
