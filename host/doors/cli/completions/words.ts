/** What a shell is told of the command line: made of the same table as `--help` (SPEC I2). */

import type { OptionSpec } from "../arguments.ts";
import type { Command, Word } from "../command.ts";
import { COMMON_OPTIONS } from "../help.ts";

/** One command, as scripts are made of it. */
export interface CompletedCommand {
  readonly name: string;
  readonly about: string;
  readonly options: readonly CompletedOption[];
  /** By position; the last one stands for all that follow if `repeats`. */
  readonly words: readonly Word[];
  readonly repeats: boolean;
}

/** One option. */
export interface CompletedOption {
  readonly name: string;
  readonly about: string;
  /** `never` is a flag; a value that may be left out is given with `=` only. */
  readonly value: "never" | "may" | "must";
  /** What the value is; absent if anything. */
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

/** `thread|process` in help is a choice; a file, a folder or a path is one of the disk. */
function wordOfValue(value: string): Word | undefined {
  if (value.includes("|")) return value.split("|");
  return /^(?:file|folder|path)\b/u.test(value) ? "path" : undefined;
}
