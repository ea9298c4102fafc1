/** `bascule search`: finds installed tools by words of their names and descriptions. */

import { count, printable } from "../../../primitives/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { usageError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { integerOption } from "../integer-option.ts";
import { table } from "../table.ts";
import type { ToolView } from "../../operations.ts";

const MOST_FOUND = 20;

export const searchCommand: Command = {
  name: "search",
  summary: "Find tools by words of their names and descriptions",
  usage: "search <words…>",
  details: [
    "Searches the tools of installed plugins, the built-in ones and those of connected MCP servers. Each tool found has every word; a word in the name counts most, then in the title, then in the description.",
    "Exits with code 3 if no tool has all words.",
  ],
  examples: ["search csv", "search read text --json"],
  positionals: { min: 1, max: Number.MAX_SAFE_INTEGER },
  options: [{ name: "limit", value: "count", about: `Show at most this many tools (${MOST_FOUND})` }],
  run: (context) => withHost(context, (host) => search(context, host), { servers: true }),
};

async function search({ output, positionals, options }: CommandContext, host: HostAccess): Promise<number> {
  const { style, room } = output;
  const words = positionals.flatMap((text) => text.toLowerCase().split(/\s+/u)).filter((word) => word !== "");
  if (words.length === 0) throw usageError("Nothing to search for: the words are empty");
  const limit = integerOption(options, "limit", 1, Number.MAX_SAFE_INTEGER) ?? MOST_FOUND;
  const tools = (await host.operations.list()).flatMap((plugin) => plugin.tools);
  const found = tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.qualifiedName < b.tool.qualifiedName ? -1 : 1))
    .map(({ tool }) => tool);
  const shown = found.slice(0, limit);
  const rows = shown.map((tool) => [
    calledAs(tool),
    printable(tool.unavailable === undefined ? tool.description : `(cannot be called) ${tool.description}`),
  ]);
  for (const line of table(rows, style, { columns: room, paint: [style.cyan, style.dim] })) output.line(line);
  if (found.length > shown.length) output.note(style.dim(`(${count(found.length - shown.length, "more tool")}; --limit shows them)`));
  if (found.length === 0) output.line(`No tool has ${words.length === 1 ? "this word" : "all these words"}`);
  output.document({ ok: true, tools: shown, total: found.length });
  return found.length === 0 ? EXIT.notFound : EXIT.ok;
}

/** Returns the name that calls the tool. */
function calledAs({ name, qualifiedName, yieldsTo }: ToolView): string {
  return printable(yieldsTo === undefined ? name : qualifiedName);
}

/** Returns 0 unless each word is found. A whole part of the name counts most. */
function scoreOf({ name, qualifiedName, title = "", description }: ToolView, words: readonly string[]): number {
  const parts = qualifiedName.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const places = [name, qualifiedName, title, description].map((text) => text.toLowerCase());
  const scores = words.map((word) => {
    if (parts.includes(word)) return 8;
    const at = places.findIndex((text) => text.includes(word));
    return WEIGHTS[at] ?? 0;
  });
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

/** Points of a word that is found in the name, the qualified name, the title or the description. */
const WEIGHTS = [6, 4, 3, 1];
