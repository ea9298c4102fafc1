/** Formats `--help` from the table of commands. */

import type { OptionSpec } from "./arguments.ts";
import type { Command } from "./command.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { Output } from "./output.ts";
import type { Style } from "../../primitives/style.ts";
import { wrapWords } from "../../primitives/text.ts";

/** Options that every command takes. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { name: "json", about: "Write the output, including errors, as one JSON document" },
  { name: "config", value: "file", about: "Use this bascule.json (default: the nearest one upwards)" },
  { name: "no-color", about: "Disable colours (also disabled by the variable NO_COLOR)" },
  { name: "help", about: "Show this help" },
];

/** Name of the program as it was started, and width and style of the terminal. */
type HelpOptions = Pick<Output, "program" | "style" | "columns">;

/** Formats the list of commands, for `bascule` and `bascule --help`. */
export function programHelp(groups: readonly (readonly [string, readonly Command[]])[], { program, style, columns }: HelpOptions): string {
  const rowLines = (rows: readonly (readonly [string, string])[]): readonly string[] => table(rows, style, { columns });
  const width = Math.max(...groups.flatMap(([, commands]) => commands.map(({ name }) => name.length)));
  const rows = (commands: readonly Command[]): readonly (readonly [string, string])[] =>
    commands.map(({ name, summary }) => [name.padEnd(width), summary]);
  return [
    ...wrapWords("bascule is a plugin host that runs untrusted JavaScript and TypeScript tools.", columns),
    "",
    `${style.bold("Usage")}  ${program} <command> [options]`,
    "",
    ...groups.flatMap(([heading, commands]) => [style.bold(heading), ...rowLines(rows(commands)), ""]),
    style.bold("Global options"),
    ...rowLines(COMMON_OPTIONS.map(optionRow)),
    "",
    style.bold("Exit codes"),
    ...rowLines(EXIT_CODES.map(([code, meaning]): readonly [string, string] => [String(code), meaning])),
    "",
    `${program} <command> --help shows details of a command.`,
    `${program} completions --help shows how to set up shell completion.`,
    "",
  ].join("\n");
}

/** Formats the help of one command. */
export function commandHelp(command: Command, { program, style, columns }: HelpOptions): string {
  const optionLines = (options: readonly OptionSpec[]): readonly string[] => table(options.map(optionRow), style, { columns });
  const lines = [...wrapWords(command.summary, columns), "", `${style.bold("Usage")}  ${program} ${command.usage}`];
  if (command.details) lines.push("", ...command.details.flatMap((paragraph) => wrapWords(paragraph, columns)));
  if (command.options.length > 0) lines.push("", style.bold("Options"), ...optionLines(command.options));
  lines.push("", style.bold("Global options"), ...optionLines(COMMON_OPTIONS));
  if (command.examples) lines.push("", style.bold("Examples"), ...command.examples.map((example) => `  ${program} ${example}`));
  return `${lines.join("\n")}\n`;
}

/** Layout of a table. */
interface TableOptions {
  /** Indent of every row. Default: two spaces. */
  readonly indent?: string;
  /** Total width in characters. The second column wraps between words. Absent: no wrapping, for commands to copy and styled text. */
  readonly columns?: number;
}

/** Formats rows of a name and a description in two columns. */
export function table(rows: readonly (readonly [string, string])[], style: Style, options: TableOptions = {}): readonly string[] {
  const { indent = "  ", columns = Infinity } = options;
  const width = Math.max(0, ...rows.map(([name]) => [...name].length));
  const start = indent.length + width + 2;
  return rows.flatMap(([name, about]) => {
    const [first = "", ...rest] = wrapWords(about, Math.max(LEAST_COLUMN, columns - start));
    return [
      `${indent}${style.cyan(name)}${" ".repeat(width - [...name].length)}  ${first}`,
      ...rest.map((line) => `${" ".repeat(start)}${line}`),
    ];
  });
}

const LEAST_COLUMN = 24;

function optionRow(option: OptionSpec): readonly [string, string] {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  if (option.value === undefined) return [`${short}--${option.name}`, option.about];
  return [short + (option.optionalValue ? `--${option.name}[=${option.value}]` : `--${option.name}=<${option.value}>`), option.about];
}
