/** Takes the README apart: fenced blocks by language, and console sessions as commands with the output they promise. */

/** One fenced block. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** A command of a console session and the lines it promises; `…` in a line stands for anything. */
export interface SessionStep {
  readonly command: string;
  readonly output: readonly string[];
}

/** The fenced blocks below a heading, up to the next heading of the same or a higher rank. */
export function blocksBelow(markdown: string, heading: string): readonly Block[] {
  const lines = markdown.split("\n");
  const start = lines.indexOf(heading);
  if (start === -1) throw new Error(`README.md has no heading "${heading}"`);
  const rank = heading.indexOf(" ");
  return blocksOf(lines.slice(start + 1), (line) => /^#+ /.test(line) && line.indexOf(" ") <= rank);
}

/** Every fenced block of a page. */
export function allBlocks(markdown: string): readonly Block[] {
  return blocksOf(markdown.split("\n"), () => false);
}

function blocksOf(lines: readonly string[], isEnd: (line: string) => boolean): readonly Block[] {
  const blocks: Block[] = [];
  let open: { language: string; lines: string[] } | undefined;
  for (const line of lines) {
    if (open === undefined && isEnd(line)) break;
    if (line.startsWith("```")) {
      if (open !== undefined) blocks.push({ language: open.language, text: open.lines.join("\n") });
      open = open === undefined ? { language: line.slice(3), lines: [] } : undefined;
    } else open?.lines.push(line);
  }
  return blocks;
}

/** Reads a `console` block: `$ ` starts a command, everything up to the next one is its output. Comments are left out. */
export function sessionSteps(block: string): readonly SessionStep[] {
  const steps: { command: string; output: string[] }[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("$ ")) steps.push({ command: line.slice(2), output: [] });
    else if (line.trim() !== "" && !line.startsWith("# ")) steps.at(-1)?.output.push(line);
  }
  return steps;
}

/** The words of a simple command, as a shell takes them apart: spaces and both kinds of quotes. */
export function shellWords(command: string): readonly string[] {
  return [...command.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

/** The promised lines that the output does not have, in order. */
export function missingLines(output: string, promised: readonly string[]): readonly string[] {
  const rest = output.split("\n");
  return promised.filter((line) => {
    const wanted = new RegExp(`^${line.trim().split("…").map(escapePattern).join(".*")}$`);
    const at = rest.findIndex((candidate) => wanted.test(candidate.trim()));
    if (at !== -1) rest.splice(0, at + 1);
    return at === -1;
  });
}

/** The `ts` blocks of `@example` tags that are whole programs: those that import bascule. */
export function docExamples(source: string): readonly string[] {
  return [...source.matchAll(/\* @example\n\s*\* ```ts\n([\s\S]*?)\* ```/g)]
    .map((match) => (match[1] ?? "").replaceAll(/^\s*\* ?/gm, ""))
    .filter((text) => text.includes('from "bascule"'));
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
