/** `bascule completions`: prints a script that completes commands, options, plugins and tools in a shell. */

import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { bashScript } from "../completions/bash.ts";
import { fishScript } from "../completions/fish.ts";
import { namesFor } from "../completions/names.ts";
import { completedCommand } from "../completions/words.ts";
import { zshScript } from "../completions/zsh.ts";
import { EXIT } from "../exit-codes.ts";
import { wordMeant } from "../did-you-mean.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
const SHELLS = Object.keys(SCRIPTS);
const NAMES = ["plugin", "tool", "any"];

export const completionsCommand: Command = {
  name: "completions",
  summary: "Print a shell completion script for commands, options, plugins and tools",
  usage: "completions <bash|zsh|fish>",
  details: [
    'bash: put  eval "$(bascule completions bash)"  into ~/.bashrc',
    'zsh:  put  eval "$(bascule completions zsh)"  into ~/.zshrc, below compinit; or write it to a file _bascule in a folder of $fpath',
    "fish: bascule completions fish > ~/.config/fish/completions/bascule.fish",
    "Completes the word `bascule`, also as an alias. Names of plugins and tools come from the running host, or else from the manifests; no plugin code runs.",
  ],
  examples: ["completions bash"],
  positionals: { min: 0, max: 1 },
  words: [SHELLS],
  options: [{ name: "names", value: NAMES.join("|"), about: "Print these names, one per line (used by the scripts)" }],
  run: completions,
};

async function completions(context: CommandContext): Promise<number> {
  const { platform, positionals, options, output } = context;
  const wanted = options.value("names");
  if (wanted !== undefined) {
    if (!NAMES.includes(wanted)) throw usageError(`Option "--names" must be one of ${NAMES.join(", ")}, not "${wanted}"`);
    const names = await namesFor(context, { plugins: wanted !== "tool", tools: wanted !== "plugin" });
    for (const name of names) output.line(name);
    output.document({ ok: true, names });
    return EXIT.ok;
  }
  const [shell] = positionals;
  if (shell !== "bash" && shell !== "zsh" && shell !== "fish") throw unknownShell(shell, output.program);
  const commands = (await context.commands()).map(completedCommand);
  const script = SCRIPTS[shell](commands, platform.environment.command);
  output.line(script.trimEnd());
  output.document({ ok: true, shell, script });
  return EXIT.ok;
}

function unknownShell(shell: string | undefined, program: string): Error {
  if (shell === undefined) return usageError("Missing shell name", [`Example: ${program} completions bash`]);
  return usageError(`Unknown shell "${shell}"`, [wordMeant(shell, SHELLS)]);
}
