/** Reasonings as JSON Canvas 1.0 (jsoncanvas.org), the format of Obsidian and others: a card for each step, with arrows between them. */

import { depthsOf, type Reasoning, type Step } from "./steps.ts";

const MAX_NODES = 2_000;
const MAX_TEXT = 20_000;
const CARD = { width: 360, across: 440, gap: 40, line: 26, letters: 40 };
/** Color presets of the format: each program has its own shades. */
const COLORS: ReadonlyMap<string, string> = new Map([
  ["question", "6"],
  ["observation", "5"],
  ["hypothesis", "3"],
  ["decision", "4"],
  ["action", "2"],
  ["problem", "1"],
]);
const TITLE = "title";
const KIND = /^\*\*([\p{L}\p{N} _-]{1,40})\*\*\n+/u;

export function writeCanvas({ title, steps }: Reasoning): string {
  const depths = depthsOf(steps);
  const bottoms = new Map<number, number>();
  const nodes = steps.map((step) => {
    const text = step.kind === undefined ? step.text : `**${step.kind}**\n\n${step.text}`;
    const depth = depths.get(step.id) ?? 0;
    const y = bottoms.get(depth) ?? 0;
    const height = heightOf(text);
    bottoms.set(depth, y + height + CARD.gap);
    const color = COLORS.get(step.kind?.toLowerCase() ?? "");
    return { id: step.id, type: "text", x: depth * CARD.across, y, width: CARD.width, height, ...(color !== undefined && { color }), text };
  });
  const heading = { id: TITLE, type: "text", x: 0, y: -140, width: CARD.width, height: 80, text: `# ${title}` };
  const edges = steps.flatMap(({ id, after }) =>
    after.map((from) => ({ id: `${from} to ${id}`, fromNode: from, fromSide: "right", toNode: id, toSide: "left" })),
  );
  return `${JSON.stringify({ nodes: [heading, ...nodes], edges }, undefined, 2)}\n`;
}

/**
 * Reads a canvas. Cards of text, links and files are steps; groups only arrange them and are ignored.
 *
 * @throws {Error} if the text is not a canvas, or exceeds the bounds.
 */
export function readCanvas(text: string): Reasoning {
  const { nodes, edges } = readObject(text);
  if (nodes.length > MAX_NODES || edges.length > MAX_NODES * 4)
    throw new Error(`It has more than ${MAX_NODES} cards, or ${MAX_NODES * 4} arrows`);
  const heading = nodes.find((node) => node["id"] === TITLE)?.["text"];
  const links = edges.flatMap(({ fromNode, toNode }) =>
    typeof fromNode === "string" && typeof toNode === "string" ? [{ fromNode, toNode }] : [],
  );
  const cards = nodes.flatMap((node, index) => {
    const content = contentOf(node);
    const id = node["id"];
    if (content === undefined || id === TITLE) return [];
    return [{ id: typeof id === "string" && id !== "" ? id : `card ${index + 1}`, content }];
  });
  const ids = new Set(cards.map(({ id }) => id));
  const steps = cards.map(({ id, content }): Step => {
    const kind = KIND.exec(content)?.[1];
    const after = [
      ...new Set(
        links.filter(({ fromNode, toNode }) => toNode === id && fromNode !== id && ids.has(fromNode)).map(({ fromNode }) => fromNode),
      ),
    ];
    return { id, ...(kind !== undefined && { kind }), text: content.replace(KIND, "").trim(), after };
  });
  return { title: typeof heading === "string" ? heading.replace(/^#+\s*/u, "").trim() : "", steps };
}

type Member = Readonly<Record<string, unknown>>;

function readObject(text: string): { readonly nodes: readonly Member[]; readonly edges: readonly Member[] } {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Error(`Invalid JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (!isObject(read)) throw new Error("Not a canvas (expected an object with nodes and edges)");
  const { nodes = [], edges = [] } = read;
  if (!Array.isArray(nodes) || !Array.isArray(edges)) throw new Error("Not a canvas (nodes and edges must be lists)");
  // Entries that other programs added are ignored.
  return { nodes: nodes.filter(isObject), edges: edges.filter(isObject) };
}

function contentOf({ type, text, url, file }: Member): string | undefined {
  const content = type === "text" ? text : type === "link" ? url : type === "file" ? file : undefined;
  return typeof content === "string" ? content.slice(0, MAX_TEXT) : undefined;
}

/** Height in pixels of the lines that the text will take. */
function heightOf(text: string): number {
  const lines = text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / CARD.letters)), 0);
  return Math.min(800, 40 + lines * CARD.line);
}

function isObject(value: unknown): value is Member {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
