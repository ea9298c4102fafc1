/** The rows of SPEC.md: ids with one line of text each, stored in `docs/spec-rows.json` because SPEC.md is outside of the repository. */

/** A row in the committed list. */
export interface SpecRow {
  /** Id, such as `M1` or `PA10`. */
  readonly id: string;
  /** The row's first sentence, shortened to one line. */
  readonly text: string;
  /** Statements of the row that no test proves yet; written by hand. */
  readonly open?: readonly string[];
}

export interface SpecSection {
  readonly title: string;
  readonly rows: readonly SpecRow[];
}

const ROW_START = /(?:^- |(?<=\. ))([A-Z]{1,2}\d{1,2})(?= \S)/g;
const MAX_TEXT = 170;

/**
 * Parses SPEC.md. A row starts with `- ID `; further ids of the same letter may start inside the line (`K1 … K2 …`), each the
 * next number.
 *
 * @throws {Error} if an id occurs twice.
 */
export function parseSpec(markdown: string): readonly SpecSection[] {
  const sections: { title: string; rows: SpecRow[] }[] = [];
  const seen = new Set<string>();
  for (const line of markdown.split("\n")) {
    const heading = /^#{1,2} (.+)$/.exec(line);
    if (heading?.[1] !== undefined) sections.push({ title: heading[1], rows: [] });
    for (const row of rowsOfLine(line)) {
      if (seen.has(row.id)) throw new Error(`SPEC.md has row "${row.id}" twice`);
      seen.add(row.id);
      sections.at(-1)?.rows.push(row);
    }
  }
  return sections.filter((section) => section.rows.length > 0);
}

/** Merges the rows of SPEC.md with the hand-written notes of the committed list. Notes of removed rows are dropped. */
export function mergeNotes(fresh: readonly SpecSection[], committed: readonly SpecSection[]): readonly SpecSection[] {
  const notes = new Map(committed.flatMap((section) => section.rows).map((row) => [row.id, row.open]));
  return fresh.map(({ title, rows }) => ({
    title,
    rows: rows.map((row) => {
      const open = notes.get(row.id);
      return open === undefined ? row : { ...row, open };
    }),
  }));
}

function rowsOfLine(line: string): SpecRow[] {
  const rows: SpecRow[] = [];
  if (!/^- [A-Z]{1,2}\d/.test(line)) return rows;
  const starts: { id: string; at: number }[] = [];
  for (const match of line.matchAll(ROW_START)) {
    const id = match[1] ?? "";
    const previous = starts.at(-1)?.id;
    // Inside a line only the next number starts a row; every other id is a reference.
    if (previous === undefined || id === nextId(previous)) starts.push({ id, at: match.index + match[0].length });
  }
  for (const [index, { id, at }] of starts.entries()) {
    const next = starts[index + 1];
    rows.push({ id, text: firstSentence(line.slice(at, next === undefined ? undefined : next.at - next.id.length)) });
  }
  return rows;
}

function nextId(id: string): string {
  const [letters = "", digits = ""] = id.split(/(?<=[A-Z])(?=\d)/);
  return `${letters}${Number(digits) + 1}`;
}

function firstSentence(text: string): string {
  const plain = text.replaceAll("**", "").trim();
  const end = /[.](?= [A-Z`])/.exec(plain)?.index ?? plain.replace(/[.:;]$/, "").length;
  const sentence = plain.slice(0, end);
  if (sentence.length <= MAX_TEXT) return sentence;
  return `${sentence.slice(0, sentence.lastIndexOf(" ", MAX_TEXT))} …`;
}
