/** The completion script for zsh. */

import type { Word } from "../command.ts";
import { shellWord } from "../paths.ts";
import type { CompletedCommand, CompletedOption } from "./words.ts";

/** @param command how this program is started, as words. */
export function zshScript(commands: readonly CompletedCommand[], command: readonly string[]): string {
  return `#compdef bascule
# Completes bascule in zsh. Made by \`bascule completions zsh\`.
_bascule_names() {
  local -a names
  names=("\${(@f)$(${command.map(shellWord).join(" ")} completions --names="$1" 2>/dev/null)}")
  compadd -a names
}

_bascule() {
  local curcontext=$curcontext state line
  local -a commands
  commands=(
${commands.map(({ name, about }) => `    ${single(`${name}:${about}`)}`).join("\n")}
  )
  _arguments -C '1:command:->command' '*::word:->words'
  case $state in
    command) _describe command commands ;;
    words)
      case $words[1] in
${commands.map(commandCase).join("\n")}
      esac
      ;;
  esac
}

if [[ $funcstack[1] == _bascule ]]; then
  _bascule "$@"
else
  compdef _bascule bascule
fi
`;
}

function commandCase({ name, options, words, repeats }: CompletedCommand): string {
  const places = words.map((word, index) => {
    const place = repeats && index === words.length - 1 ? "*" : String(index + 1);
    return single(`${place}:${labelOf(word)}:${actionOf(word)}`);
  });
  return `        ${name}) _arguments ${[...options.map(optionSpec), ...places].join(" ")} ;;`;
}

/** `--name=-[about]:value:action`; `=-` wants the value in the same word, `::` that it may be left out. */
function optionSpec({ name, about, value, word }: CompletedOption): string {
  const text = `[${about.replaceAll(/[[\]\\]/gu, "\\$&")}]`;
  if (value === "never") return single(`--${name}${text}`);
  const action = word === undefined ? " " : actionOf(word);
  return single(`*--${name}=${value === "may" ? "-" : ""}${text}${value === "may" ? "::" : ":"}value:${action}`);
}

function labelOf(word: Word): string {
  return typeof word === "string" ? word : "word";
}

function actionOf(word: Word): string {
  if (typeof word !== "string") return `(${word.join(" ")})`;
  return word === "path" ? "_files" : `{_bascule_names "${word}"}`;
}

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
