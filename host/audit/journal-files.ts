/** File layout of the journal: its files, and the rows that link them. */

import type { JsonObject, JsonValue } from "../../manifests/mod.ts";
import type { JsonBounds } from "../primitives/json/json.ts";
import { objectOf } from "../primitives/json/object-of.ts";
import { readJsonText } from "../primitives/json/json-text.ts";
import type { JournalRow, Journals } from "../platform/files/journal-types.ts";
import type { Files } from "../platform/platform.ts";

/** The last row of a full file. */
export const CLOSING_TEXT = '{"type":"journal.continued"}';

/** Returns the names of the journal's files, the oldest first. */
export async function journalFiles(files: Pick<Files, "list">, folder: string): Promise<readonly string[]> {
  const entries = await files.list(folder);
  return entries
    .filter(({ name, kind }) => kind === "file" && /^\d{12}\.db$/.test(name))
    .map(({ name }) => name)
    .toSorted();
}

/** Returns the journal's files, the oldest first; empty if the journal does not exist yet. */
export async function namesOf({
  files,
  folder,
}: {
  readonly files: Pick<Files, "list" | "stat">;
  readonly folder: string;
}): Promise<readonly string[]> {
  return (await files.stat(folder)) === undefined ? [] : await journalFiles(files, folder);
}

/** Returns the number of a file's first row. @param name of the file */
export function firstOf(name: string): number {
  return Number.parseInt(name, 10);
}

/** Returns the path of the file that begins with row `number`. */
export function fileOf(folder: string, number: number): string {
  return `${folder}/${String(number).padStart(12, "0")}.db`;
}

/** The first row of a file that continues another. `removals` says that this version records removals. */
export const OPENING_TEXT = '{"type":"journal.continues","removals":"recorded"}';

/** Bounds of a row's JSON. */
export const EVENT_BOUNDS: JsonBounds = { maxBytes: 1024 * 1024, maxDepth: 600 };

/** Summary of the rows removed so far from the beginning of the journal to make room. */
export interface RemovalRecord {
  /** Time of the first removal, in milliseconds since the epoch. */
  readonly since: number;
  /** The last removed row and its seal; the seal of the first remaining row depends on it. */
  readonly last: number;
  readonly seal: string;
  /** Number of removed events, in total and by kind and plugin: `acts weather`. */
  readonly rows: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** Returns undefined for any other row. */
export function readRemoval(text: string): RemovalRecord | undefined {
  if (!text.startsWith('{"type":"journal.removed"')) return undefined;
  const { since, last, seal, rows, counts } = parse(text) ?? {};
  if (typeof since !== "number" || typeof last !== "number" || typeof seal !== "string" || typeof rows !== "number") return undefined;
  const named = Object.entries(objectOf(counts) ?? {});
  const numbers = named.flatMap(([share, count]) => (typeof count === "number" ? [[share, count] as const] : []));
  return { since, last, seal, rows, counts: Object.fromEntries(numbers) };
}

/** Creates rows of these texts, each sealed with all rows before it. */
export function chain(journals: Pick<Journals, "seal">, last: JournalRow | undefined, texts: readonly string[]): readonly JournalRow[] {
  let { number, seal } = last ?? { number: 0, seal: "" };
  return texts.map((text) => {
    number += 1;
    seal = journals.seal(seal, number, text);
    return { number, seal, text };
  });
}

/** Returns the event of a row and its original number; undefined for the journal's own rows. */
export function eventOf(
  number: number,
  text: string,
): { readonly event: JsonObject; readonly number: number; readonly isKept: boolean } | undefined {
  const row = parse(text);
  const isKept = row?.["type"] === "journal.kept";
  const event = isKept ? objectOf(row["event"]) : row;
  if (event === undefined || (typeof event["type"] === "string" && event["type"].startsWith("journal."))) return undefined;
  const first = isKept ? row?.["number"] : number;
  return { event, number: typeof first === "number" ? first : number, isKept };
}

/** Returns whether a row without an event is one of the journal's own. */
export function isOwnRow(text: string): boolean {
  return text.startsWith('{"type":"journal.') && !text.startsWith('{"type":"journal.kept"');
}

function parse(text: string): JsonObject | undefined {
  const read = readJsonText(text, EVENT_BOUNDS);
  // The parsed value is JSON.
  return read.ok ? objectOf(read.value as JsonValue) : undefined;
}
