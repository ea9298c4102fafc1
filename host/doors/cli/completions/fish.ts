/** The completion script for fish. */

import type { Word } from "../command.ts";
import type { CompletedCommand, CompletedOption } from "./words.ts";

/** @param command how this program is started, as words. */
export function fishScript(commands: readonly CompletedCommand[], command: readonly string[]): string {
  return `# Completes bascule in fish. Made by \`bascule completions fish\`.
function __bascule_names
    ${command.map(single).join(" ")} completions --names="$argv[1]" 2>/dev/null
end

# Whether the command is $argv[1] and the word to be completed stands in one of the places $argv[2..], or anywhere.
function __bascule_at
    set -l words (commandline -opc)
    set -l plain (string match --invert -- '-*' $words)
    test "$plain[2]" = "$argv[1]"; or return 1
    test (count $argv) -eq 1; and return 0
    contains -- (math (count $plain) - 2) $argv[2..]
end

function __bascule_begins
    test (count (string match --invert -- '-*' (commandline -opc))) -eq 1
end

complete -c bascule -f
${commands.map(({ name, about }) => `complete -c bascule -n __bascule_begins -a ${name} -d ${single(about)}`).join("\n")}
${commands.flatMap(commandLines).join("\n")}
`;
}

/** How many words that repeat are told of. */
const MANY = 16;

function commandLines({ name, options, words, repeats }: CompletedCommand): readonly string[] {
  const places = words.map((word, index) => {
    const last = repeats && index === words.length - 1 ? MANY : index;
    const numbers = Array.from({ length: last - index + 1 }, (_none, offset) => String(index + offset)).join(" ");
    return `complete -c bascule -n '__bascule_at ${name} ${numbers}' ${wordOf(word)}`;
  });
  return [...options.map((option) => optionLine(name, option)), ...places];
}

function optionLine(command: string, { name, about, value, word }: CompletedOption): string {
  const takes = value !== "must" ? "" : word === "path" ? " -r" : " -x";
  const values = word === undefined ? "" : ` ${wordOf(word)}`;
  return `complete -c bascule -n '__bascule_at ${command}' -l ${name}${takes}${values} -d ${single(about)}`;
}

function wordOf(word: Word): string {
  if (typeof word !== "string") return `-a ${single(word.join(" "))}`;
  return word === "path" ? "-F" : `-a '(__bascule_names "${word}")'`;
}

function single(text: string): string {
  return `'${text.replaceAll(/[\\']/gu, "\\$&")}'`;
}
