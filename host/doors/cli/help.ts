/** Formats `--help` from the table of commands. */

import type { OptionSpec } from "./arguments.ts";
import type { Command } from "./command.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { Output } from "./output.ts";
import { wrapWords } from "../../primitives/text.ts";
import { asTyped } from "../../primitives/typed-commands.ts";
import { nameTable } from "./table.ts";

/** Options that every command takes. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { name: "json", about: "Write the output, including errors, as one JSON document" },
  { name: "config", value: "file", about: "Use this bascule.json (default: the nearest one upwards)" },
  { name: "no-input", about: "Never ask on the terminal: fail as if there was none" },
  { name: "no-color", about: "Disable colours (also disabled by the variable NO_COLOR)" },
  { name: "help", about: "Show this help" },
];

/** Name of the program as it was started, and width and style of the terminal. */
type HelpOptions = Pick<Output, "program" | "style" | "columns">;

/** Formats the list of commands, for `bascule --help`. */
export function programHelp(groups: readonly (readonly [string, readonly Command[]])[], { program, style, columns }: HelpOptions): string {
  const rowLines = (rows: readonly (readonly [string, string])[]): readonly string[] => nameTable(rows, style, { columns });
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
    `${program} completions --help explains shell completion`,
    "",
  ].join("\n");
}

/** Formats the help of one command. */
export function commandHelp(command: Command, { program, style, columns }: HelpOptions): string {
  const optionLines = (options: readonly OptionSpec[]): readonly string[] => nameTable(options.map(optionRow), style, { columns });
  const lines = [...wrapWords(command.summary, columns), "", `${style.bold("Usage")}  ${program} ${command.usage}`];
  if (command.details) lines.push("", ...command.details.flatMap((paragraph) => wrapWords(asTyped(paragraph, program), columns)));
  if (command.options.length > 0) lines.push("", style.bold("Options"), ...optionLines(command.options));
  lines.push("", style.bold("Global options"), ...optionLines(COMMON_OPTIONS));
  if (command.examples) lines.push("", style.bold("Examples"), ...command.examples.map((example) => `  ${program} ${example}`));
  return `${lines.join("\n")}\n`;
}

function optionRow(option: OptionSpec): readonly [string, string] {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  if (option.value === undefined) return [`${short}--${option.name}`, option.about];
  return [short + (option.optionalValue ? `--${option.name}[=${option.value}]` : `--${option.name}=<${option.value}>`), option.about];
}
