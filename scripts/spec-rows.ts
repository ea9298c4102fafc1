/** The rows of SPEC.md: ids with one line of text each, kept in `docs/spec-rows.json` because SPEC.md lies outside the repository. */

/** A row as it is committed. */
export interface SpecRow {
  /** `M1`, `PA10`, … */
  readonly id: string;
  /** Its first sentence, shortened to a line. */
  readonly text: string;
  /** What the row says and no test proves yet; kept by hand. */
  readonly open?: readonly string[];
}

export interface SpecSection {
  readonly title: string;
  readonly rows: readonly SpecRow[];
}

const ROW_START = /(?:^- |(?<=\. ))([A-Z]{1,2}\d{1,2})(?= \S)/g;
const MAX_TEXT = 170;

/**
 * Reads SPEC.md. A row starts with `- ID `; further ids of the same letter may start inside the line (`K1 … K2 …`), each the next number.
 *
 * @throws {Error} if an id stands twice.
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

/** Takes the rows of SPEC.md and the hand-written notes of the committed list. Notes of rows that are gone are dropped. */
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
    // Inside a line only the next number starts a row; every other id is a reference to one.
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
