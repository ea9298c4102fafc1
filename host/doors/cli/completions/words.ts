/** Converts the table of commands to data for completion scripts (SPEC I2). */

import type { OptionSpec } from "../arguments.ts";
import type { Command, Word } from "../command.ts";
import { COMMON_OPTIONS } from "../help.ts";

/** One command in a completion script. */
export interface CompletedCommand {
  readonly name: string;
  readonly about: string;
  readonly options: readonly CompletedOption[];
  /** Kinds of the positional arguments. If `repeats` is set, the last one applies to all further ones. */
  readonly words: readonly Word[];
  readonly repeats: boolean;
}

/** One option in a completion script. */
export interface CompletedOption {
  readonly name: string;
  readonly about: string;
  /** Whether the option takes a value. `never` is a flag; an optional value (`may`) must be given with `=`. */
  readonly value: "never" | "may" | "must";
  /** Kind of the value. Absent if it can be anything. */
  readonly word?: Word;
}

export function completedCommand({ name, summary, options, words = [], positionals }: Command): CompletedCommand {
  return {
    name,
    about: summary,
    options: [...options, ...COMMON_OPTIONS].map(completedOption),
    words,
    repeats: positionals === undefined || positionals.max > words.length,
  };
}

function completedOption({ name, about, value, optionalValue }: OptionSpec): CompletedOption {
  const word = value === undefined ? undefined : wordOfValue(value);
  return {
    name,
    about,
    value: value === undefined ? "never" : optionalValue ? "may" : "must",
    ...(word !== undefined && { word }),
  };
}

/** Derives the kind from the placeholder in help: `thread|process` is a choice; a file, folder or path completes from the disk. */
function wordOfValue(value: string): Word | undefined {
  if (value.includes("|")) return value.split("|");
  return /^(?:file|folder|path)\b/u.test(value) ? "path" : undefined;
}
