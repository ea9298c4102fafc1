/** Rectangles of text that are put beside, above and below one another to lay out formulas. */

/** Lines of equal width. The line at `base` is level with the surrounding text. */
export interface Box {
  readonly lines: readonly string[];
  readonly width: number;
  readonly base: number;
}

export const EMPTY: Box = { lines: [""], width: 0, base: 0 };

export function textBox(text: string): Box {
  return { lines: [text], width: widthOf(text), base: 0 };
}

/** Joins boxes side by side, level at their bases. */
export function beside(...boxes: readonly Box[]): Box {
  const base = Math.max(0, ...boxes.map((box) => box.base));
  const below = Math.max(0, ...boxes.map((box) => box.lines.length - 1 - box.base));
  const lines = Array.from({ length: base + 1 + below }, (_, row) =>
    boxes.map((box) => box.lines[row - base + box.base] ?? " ".repeat(box.width)).join(""),
  );
  return { lines, width: boxes.reduce((sum, { width }) => sum + width, 0), base };
}

/** Stacks boxes; `base` counts from the top line. */
export function stacked(boxes: readonly Box[], base: number, align: "center" | "left" = "center"): Box {
  const width = Math.max(0, ...boxes.map((box) => box.width));
  const left = (box: Box): readonly string[] => box.lines.map((line) => line + " ".repeat(width - box.width));
  return { lines: boxes.flatMap((box) => (align === "left" ? left(box) : centered(box, width).lines)), width, base };
}

/** Centers a box with blanks on both sides. */
export function centered(box: Box, width: number): Box {
  const left = Math.floor((width - box.width) / 2);
  const right = width - box.width - left;
  return { ...box, width, lines: box.lines.map((line) => " ".repeat(left) + line + " ".repeat(right)) };
}

/** Makes a bracket of several lines, as high as the box beside it. */
export function bracket(kind: string, like: Box): Box {
  const height = like.lines.length;
  if (height === 1 || kind === "") return { ...textBox(kind), base: 0 };
  const [top = kind, middle = kind, bottom = kind] = TALL.get(kind) ?? [];
  const lines = Array.from({ length: height }, (_, row) => (row === 0 ? top : row === height - 1 ? bottom : middle));
  return { lines, width: widthOf(kind), base: like.base };
}

const TALL: ReadonlyMap<string, readonly [string, string, string]> = new Map([
  ["(", ["⎛", "⎜", "⎝"]],
  [")", ["⎞", "⎟", "⎠"]],
  ["[", ["⎡", "⎢", "⎣"]],
  ["]", ["⎤", "⎥", "⎦"]],
  ["{", ["⎧", "⎨", "⎩"]],
  ["}", ["⎫", "⎬", "⎭"]],
  ["|", ["│", "│", "│"]],
  ["‖", ["║", "║", "║"]],
]);

/** Combining marks over letters have no width. */
function widthOf(text: string): number {
  return [...text.replace(/\p{Mn}/gu, "")].length;
}
