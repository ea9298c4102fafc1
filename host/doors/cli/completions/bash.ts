/** The completion script for bash. */

import type { Word } from "../command.ts";
import { shellWord } from "../paths.ts";
import type { CompletedCommand } from "./words.ts";

/** @param command how this program is started, as words. */
export function bashScript(commands: readonly CompletedCommand[], command: readonly string[]): string {
  return `# Completes bascule in bash. Made by \`bascule completions bash\`.
_bascule_names() {
  ${command.map(shellWord).join(" ")} completions --names="$1" 2>/dev/null
}

_bascule() {
  local current=\${COMP_WORDS[COMP_CWORD]} before='' command='' position=0 index word='' options='' values='' candidates=() candidate
  if [[ $current == '=' ]]; then
    current='' before=\${COMP_WORDS[COMP_CWORD - 1]}
  elif ((COMP_CWORD > 2)) && [[ \${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case $command:\${COMP_WORDS[index]} in
      *:=) ((index++)) ;;
      *:--config) [[ \${COMP_WORDS[index + 1]} == '=' ]] || ((index++)) ;;
${commands.flatMap(valuesApart).join("\n")}
      *:-*) ;;
      :*) command=\${COMP_WORDS[index]} ;;
      *) ((position++)) ;;
    esac
  done
  case $command in
    '') word=${quoted(commands.map(({ name }) => name))} ;;
${commands.map(commandCase).join("\n")}
  esac
  if [[ -n $before ]]; then
    word='path'
    case $command:$before in
${commands.flatMap(valueCases).join("\n")}
    esac
  elif [[ $current == -* ]]; then
    word=$options
  fi
  case $word in
    path) compopt -o default && return ;;
    plugin | tool | any) mapfile -t candidates < <(_bascule_names "$word") ;;
    *) read -ra candidates <<<"$word" ;;
  esac
  COMPREPLY=()
  for candidate in "\${candidates[@]}"; do
    [[ $candidate == "$current"* ]] && COMPREPLY+=("$candidate")
  done
  [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace
}

complete -F _bascule bascule
`;
}

/** Options whose value may be a word of its own, which is no position. */
function valuesApart({ name, options }: CompletedCommand): readonly string[] {
  const names = options.filter((option) => option.value === "must" && option.name !== "config").map((option) => `${name}:--${option.name}`);
  return names.length === 0 ? [] : [`      ${names.join(" | ")}) [[ \${COMP_WORDS[index + 1]} == '=' ]] || ((index++)) ;;`];
}

function commandCase({ name, options, words, repeats }: CompletedCommand): string {
  const flags = options.map((option) => `--${option.name}${option.value === "never" ? "" : "="}`);
  const places = words.map((word, index) => {
    const place = repeats && index === words.length - 1 ? "*" : String(index);
    return `${place}) word=${typeof word === "string" ? `'${word}'` : quoted(word)} ;;`;
  });
  const wordCase = places.length === 0 ? "" : `; case $position in ${places.join(" ")} esac`;
  return `    ${name}) options=${quoted(flags)}${wordCase} ;;`;
}

function valueCases({ name, options }: CompletedCommand): readonly string[] {
  return options.flatMap(({ name: option, word }) =>
    word === undefined || word === "path" ? [] : [`      ${name}:--${option}) word=${wordText(word)} ;;`],
  );
}

function wordText(word: Word): string {
  return typeof word === "string" ? `'${word}'` : quoted(word);
}

function quoted(words: readonly string[]): string {
  return `'${words.join(" ")}'`;
}
