/** Formats a result as the table of docs/speed.md. */

import type { Peer } from "./peer.ts";
import type { Mode } from "./remote.ts";
import type { PeerResult } from "./result.ts";
import type { ToolName } from "./work.ts";

const COLUMNS: readonly { readonly title: string; readonly tool: ToolName; readonly mode: Mode }[] = [
  { title: "echo, fresh", tool: "echo", mode: "fresh" },
  { title: "word count, fresh", tool: "words", mode: "fresh" },
  { title: "echo, warm", tool: "echo", mode: "warm" },
  { title: "word count, warm", tool: "words", mode: "warm" },
];

/** Returns Markdown: a row for each peer in registered order, then the conditions of the run. */
export function toMarkdown(result: PeerResult, peers: readonly Peer[]): string {
  const head = ["", ...COLUMNS.map(({ title }) => title), "fresh is a new", "boundary", "limits that hold", "runs"];
  return [
    line(head),
    line(head.map(() => "---")),
    ...peers.map((peer) =>
      line([peer.name, ...figuresOf(result, peer), peer.fresh, peer.gives.boundary, peer.gives.limits, peer.gives.runs]),
    ),
    "",
    `Measured ${result.date} on ${result.machine}, Node ${result.node}, Deno ${result.deno}: medians of ${result.rounds} rounds.`,
  ].join("\n");
}

function figuresOf(result: PeerResult, peer: Peer): readonly string[] {
  const absent = result.absent.find((one) => one.peer === peer.id);
  if (absent !== undefined) return COLUMNS.map((_, column) => (column === 0 ? `not measured: ${absent.reason}` : ""));
  return COLUMNS.map(({ tool, mode }) => {
    const row = result.rows.find((one) => one.peer === peer.id && one.tool === tool && one.mode === mode);
    return row === undefined ? "–" : `${durationOf(row.us)} (${short(row.ratio)})`;
  });
}

function durationOf(us: number): string {
  return us < 1_000 ? `${short(us)} µs` : `${short(us / 1_000)} ms`;
}

/** Two significant figures; digits before the point are kept. */
function short(figure: number): string {
  return figure >= 100 ? Math.round(figure).toLocaleString("en") : String(Number(figure.toPrecision(2)));
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
