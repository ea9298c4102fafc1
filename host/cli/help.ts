/** `--help`, written from the commands table. */

import type { OptionSpec } from "./arguments.ts";
import type { Command } from "./command.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { Style } from "./style.ts";

/** Options that every command takes. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { name: "json", about: "Write one JSON document to stdout, errors too" },
  { name: "config", value: "file", about: "Use this bascule.json (else the nearest one upwards)" },
  { name: "no-color", about: "Write without colours (so does the variable NO_COLOR)" },
  { name: "help", about: "Show this" },
];

/** All commands, for `bascule` and `bascule --help`. */
export function programHelp(groups: readonly (readonly [string, readonly Command[]])[], program: string, style: Style): string {
  const width = Math.max(...groups.flatMap(([, commands]) => commands.map(({ name }) => name.length)));
  const rows = (commands: readonly Command[]): readonly (readonly [string, string])[] =>
    commands.map(({ name, summary }) => [name.padEnd(width), summary]);
  return [
    "bascule hosts plugins: tools in JavaScript and TypeScript that nobody has to trust.",
    "",
    `${style.bold("Usage")}  ${program} <command> [options]`,
    "",
    ...groups.flatMap(([heading, commands]) => [style.bold(heading), ...table(rows(commands), style), ""]),
    style.bold("Options of every command"),
    ...table(COMMON_OPTIONS.map(optionRow), style),
    "",
    style.bold("Exit codes"),
    ...table(
      EXIT_CODES.map(([code, meaning]): readonly [string, string] => [String(code), meaning]),
      style,
    ),
    "",
    `${program} <command> --help says what it takes. ${program} completions --help: how your shell completes all of this.`,
    "",
  ].join("\n");
}

/** One command. */
export function commandHelp(command: Command, program: string, style: Style): string {
  const lines = [command.summary, "", `${style.bold("Usage")}  ${program} ${command.usage}`];
  if (command.details) lines.push("", ...command.details);
  if (command.options.length > 0) lines.push("", style.bold("Options"), ...table(command.options.map(optionRow), style));
  lines.push("", style.bold("Options of every command"), ...table(COMMON_OPTIONS.map(optionRow), style));
  if (command.examples) lines.push("", style.bold("Examples"), ...command.examples.map((example) => `  ${program} ${example}`));
  return `${lines.join("\n")}\n`;
}

/** Rows of a name and what it is, in two columns. */
export function table(rows: readonly (readonly [string, string])[], style: Style, indent = "  "): readonly string[] {
  const width = Math.max(0, ...rows.map(([name]) => [...name].length));
  return rows.map(([name, about]) => `${indent}${style.cyan(name)}${" ".repeat(width - [...name].length)}  ${about}`);
}

function optionRow(option: OptionSpec): readonly [string, string] {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  if (option.value === undefined) return [`${short}--${option.name}`, option.about];
  return [short + (option.optionalValue ? `--${option.name}[=${option.value}]` : `--${option.name}=<${option.value}>`), option.about];
}
