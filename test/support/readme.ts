/** Parses the README: fenced blocks by language, and console sessions as commands with expected output. */

/** One fenced block. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** A command of a console session and its expected lines; `…` in a line matches anything. */
export interface SessionStep {
  readonly command: string;
  readonly output: readonly string[];
}

/** Returns the fenced blocks below a heading, up to the next heading of the same or a higher rank. */
export function blocksBelow(markdown: string, heading: string): readonly Block[] {
  const lines = markdown.split("\n");
  const start = lines.indexOf(heading);
  if (start === -1) throw new Error(`README.md has no heading "${heading}"`);
  const rank = heading.indexOf(" ");
  return blocksOf(lines.slice(start + 1), (line) => /^#+ /.test(line) && line.indexOf(" ") <= rank);
}

/** Returns every fenced block of a page. */
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

/** Parses a `console` block: `$ ` starts a command, and the lines up to the next command are its output. Comments are skipped. */
export function sessionSteps(block: string): readonly SessionStep[] {
  const steps: { command: string; output: string[] }[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("$ ")) steps.push({ command: line.slice(2), output: [] });
    else if (line.trim() !== "" && !line.startsWith("# ")) steps.at(-1)?.output.push(line);
  }
  return steps;
}

/** Splits a simple command into words as a shell does, with spaces and both kinds of quotes. */
export function shellWords(command: string): readonly string[] {
  return [...command.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

/** Returns the expected lines that the output does not contain in order. */
export function missingLines(output: string, promised: readonly string[]): readonly string[] {
  const rest = output.split("\n");
  return promised.filter((line) => {
    const wanted = new RegExp(`^${line.trim().split("…").map(escapePattern).join(".*")}$`);
    const at = rest.findIndex((candidate) => wanted.test(candidate.trim()));
    if (at !== -1) rest.splice(0, at + 1);
    return at === -1;
  });
}

/** Returns the `ts` blocks of `@example` tags that are complete programs, which import bascule. */
export function docExamples(source: string): readonly string[] {
  return [...source.matchAll(/\* @example\n\s*\* ```ts\n([\s\S]*?)\* ```/g)]
    .map((match) => (match[1] ?? "").replaceAll(/^\s*\* ?/gm, ""))
    .filter((text) => text.includes('from "bascule"'));
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
