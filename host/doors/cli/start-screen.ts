/** Formats the start screen of `bascule dev` and `serve`: one line a plugin, decisions first, and one command to type next. */

import type { HostStatus, PluginView } from "../operations.ts";
import type { Output } from "./output.ts";
import { pathFrom } from "./paths.ts";
import { exampleCall } from "./example-call.ts";
import { needOf, type ReaderPlace, statusLines } from "./plugin-text.ts";
import { table } from "./table.ts";
import { count, printable, shorten, textWidth, wrapWords } from "../../primitives/text.ts";

/** Rows of the smallest usual terminal, less the row of the cursor. */
const ROWS = 23;
/** Rows of the screen beside plugins and notices: title, next command, last line, and the blank lines between them. */
const FIXED_ROWS = 7;
const MOST_NOTICE_ROWS = 4;
const STOP = "Watching for changes. Press Ctrl-C to stop.";
const NEXT = "Next, in another terminal:";
const LONGEST_NAME = 20;
/** Least room for text between a plugin's name and its command. */
const LEAST_TEXT = 24;

/** Returns the lines of `bascule dev`. */
export function startScreen(status: HostStatus, all: readonly PluginView[], output: Output, place: ReaderPlace): readonly string[] {
  const { style, columns } = output;
  const plugins = shownPlugins(all);
  const { program, standsFor } = shortProgram(plugins, output);
  const roots = status.pluginRoots.map((root) => pathFrom(place.cwd, root)).join(", ");
  const workspace = place.cwd === status.workspace ? "" : `, workspace ${pathFrom(place.cwd, status.workspace)}`;
  const title = `bascule ${status.version}  ${countsOf(plugins)}`;
  const notices = noticeLines(status, all, { ...output, program });
  const next = nextStep(plugins, program);
  const isShort = textWidth(NEXT) + 1 + textWidth(next) <= columns;
  const nextLines = isShort ? [`${style.dim(NEXT)} ${style.bold(next)}`] : [style.dim(NEXT), `  ${style.bold(next)}`];
  const nextRows = isShort ? 1 : 1 + Math.ceil((textWidth(next) + 2) / columns);
  const rows = ROWS - FIXED_ROWS - notices.length - nextRows - standsFor.length;
  const details = ` Details: ${program} info <name>.`;
  const where = style.dim(shorten(printable(`  in ${roots}${workspace}`), columns - textWidth(title)));
  return [
    `${style.bold(title.slice(0, "bascule".length))}${title.slice("bascule".length)}${where}`,
    "",
    ...pluginRows(plugins, { ...output, program }, rows),
    ...notices,
    ...nextLines,
    ...standsFor,
    "",
    style.dim(textWidth(STOP + details) <= columns ? STOP + details : STOP),
    "",
  ];
}

/** Counts plugins, and their tools that can be called. */
export function countsOf(plugins: readonly PluginView[]): string {
  const tools = plugins.flatMap((plugin) => plugin.tools.filter((tool) => tool.unavailable === undefined));
  return `${count(plugins.length, "plugin")}, ${count(tools.length, "tool")}`;
}

/** Returns the plugins of the user: neither built-in tools nor ignored folders. */
export function shownPlugins(all: readonly PluginView[]): readonly PluginView[] {
  return all.filter((plugin) => plugin.directory !== undefined && plugin.state !== "ignored");
}

/**
 * Formats one line a plugin, those that need a decision first, each with the command for it.
 *
 * @param rows maximum number of lines; the last one counts the plugins that do not fit
 */
export function pluginRows(
  plugins: readonly PluginView[],
  { style, program, columns }: Pick<Output, "style" | "program" | "columns">,
  rows: number,
): readonly string[] {
  if (plugins.length === 0) return ["  No plugins yet", ""];
  const all = plugins.map((plugin) => ({ plugin, need: needOf(plugin) }));
  const waiting = all.filter(({ need }) => need !== undefined);
  const ordered = [...waiting, ...all.filter(({ need }) => need === undefined)];
  const shown = ordered.slice(0, ordered.length <= rows ? rows : rows - 1);
  const left = ordered.length - shown.length;
  const cells = shown.map(({ plugin, need }): readonly string[] => [
    `${need === undefined ? "✓" : need.isBroken ? "✗" : "!"} ${shorten(printable(plugin.name), LONGEST_NAME)}`,
    need === undefined ? printable(plugin.description ?? "") : need.text,
    need === undefined ? "" : `${program} ${need.command}`,
  ]);
  const named = (text: string): string => {
    const mark = text.slice(0, 1);
    const color = mark === "✓" ? style.green : mark === "✗" ? style.red : style.yellow;
    return color(mark) + style.bold(text.slice(1));
  };
  const more = waiting.length > shown.length ? ` (${waiting.length - shown.length} to decide)` : "";
  return [
    ...table(cells, style, { indent: "  ", columns, gives: 1, paint: [named, undefined, style.cyan] }),
    ...(left > 0 ? [style.dim(`    and ${count(left, "more plugin")}${more}: ${program} list`)] : []),
    "",
  ];
}

/** The program in the commands of a screen. */
interface ShortProgram {
  readonly program: string;
  /** A line that says what the program stands for, if it is not the one that the user typed. */
  readonly standsFor: readonly string[];
}

/** Returns the program as typed, or `bascule` if the typed one leaves too little room beside the plugins. */
export function shortProgram(plugins: readonly PluginView[], { program, columns, style }: Output): ShortProgram {
  const longest = Math.max(0, ...plugins.map((plugin) => needOf(plugin)?.command.length ?? 0));
  const names = Math.min(LONGEST_NAME, Math.max(0, ...plugins.map(({ name }) => textWidth(name))));
  if (columns - names - longest - program.length - 10 >= LEAST_TEXT || program === "bascule") return { program, standsFor: [] };
  return { program: "bascule", standsFor: [style.dim(`(bascule stands for: ${shorten(program, columns - 24)})`)] };
}

function noticeLines(status: HostStatus, all: readonly PluginView[], output: Output): readonly string[] {
  const { style, program, columns } = output;
  const lines = statusLines(status, output).flatMap((line) => wrapWords(line, columns));
  const ignored = all.filter((plugin) => plugin.state === "ignored").length;
  if (ignored > 0) lines.push(style.dim(`${count(ignored, "folder")} ignored: ${program} list --all says why`));
  if (lines.length === 0) return [];
  if (lines.length <= MOST_NOTICE_ROWS) return [...lines, ""];
  return [...lines.slice(0, MOST_NOTICE_ROWS - 1), style.dim(`… ${program} list shows all notices`), ""];
}

/** Returns the command that shows most: a call of a harmless tool, best with arguments that are plain words. */
function nextStep(plugins: readonly PluginView[], program: string): string {
  const tools = plugins.flatMap((plugin) => plugin.tools.filter((tool) => tool.unavailable === undefined));
  const ordered = ["none", "read"].flatMap((kind) => tools.filter((tool) => tool.class === kind));
  const examples = (ordered.length > 0 ? ordered : tools).map((tool) => exampleCall(tool, program));
  const example = examples.find((text) => text.includes("=") && !/:=|--args/u.test(text)) ?? examples[0];
  if (example !== undefined) return example;
  const [broken] = plugins;
  return broken === undefined ? `${program} init demo` : `${program} list ${printable(broken.name)}`;
}
