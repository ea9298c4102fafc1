/** How the journal lies on the disk: which files there are, and the rows that link them. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import type { JsonBounds } from "../primitives/json/json.ts";
import { readJsonText } from "../primitives/json/json-text.ts";
import type { JournalRow, Journals } from "../platform/files/journal-types.ts";
import type { Files } from "../platform/platform.ts";

/** The last row of a file that is full. */
export const CLOSING_TEXT = '{"type":"journal.continued"}';

/** Names of the journal's files, the oldest first. */
export async function journalFiles(files: Pick<Files, "list">, folder: string): Promise<readonly string[]> {
  const entries = await files.list(folder);
  return entries
    .filter(({ name, kind }) => kind === "file" && /^\d{12}\.db$/.test(name))
    .map(({ name }) => name)
    .toSorted();
}

/** The journal's files, the oldest first; none where there is no journal yet. */
export async function namesOf({
  files,
  folder,
}: {
  readonly files: Pick<Files, "list" | "stat">;
  readonly folder: string;
}): Promise<readonly string[]> {
  return (await files.stat(folder)) === undefined ? [] : await journalFiles(files, folder);
}

/** The number of a file's first row. @param name of the file */
export function firstOf(name: string): number {
  return Number.parseInt(name, 10);
}

/** Where the file that begins with row `number` is. */
export function fileOf(folder: string, number: number): string {
  return `${folder}/${String(number).padStart(12, "0")}.db`;
}

/** The first row of a file that continues another; with it, what was removed before is on record. */
export const OPENING_TEXT = '{"type":"journal.continues","removals":"recorded"}';

/** Of the JSON of a row. */
export const EVENT_BOUNDS: JsonBounds = { maxBytes: 1024 * 1024, maxDepth: 600 };

/** What was removed from the beginning of the journal so far, to make room. */
export interface RemovalRecord {
  /** When the first of it was, in milliseconds since the epoch. */
  readonly since: number;
  /** The last row that is gone, and its seal, which the first row that is left is sealed with. */
  readonly last: number;
  readonly seal: string;
  /** How many events are gone for good, and of which kinds and plugins: `acts weather`. */
  readonly rows: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** Undefined for any other row. */
export function readRemoval(text: string): RemovalRecord | undefined {
  if (!text.startsWith('{"type":"journal.removed"')) return undefined;
  const { since, last, seal, rows, counts } = parse(text) ?? {};
  if (typeof since !== "number" || typeof last !== "number" || typeof seal !== "string" || typeof rows !== "number") return undefined;
  const named = Object.entries(objectOf(counts) ?? {});
  const numbers = named.flatMap(([share, count]) => (typeof count === "number" ? [[share, count] as const] : []));
  return { since, last, seal, rows, counts: Object.fromEntries(numbers) };
}

/** Rows of these texts, each sealed with all before it. */
export function chain(journals: Pick<Journals, "seal">, last: JournalRow | undefined, texts: readonly string[]): readonly JournalRow[] {
  let { number, seal } = last ?? { number: 0, seal: "" };
  return texts.map((text) => {
    number += 1;
    seal = journals.seal(seal, number, text);
    return { number, seal, text };
  });
}

/** The event of a row, and the number that it had first; undefined for rows of the journal's own. */
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

/** Whether a row that is no event is one of the journal's own. */
export function isOwnRow(text: string): boolean {
  return text.startsWith('{"type":"journal.') && !text.startsWith('{"type":"journal.kept"');
}

function parse(text: string): JsonObject | undefined {
  const read = readJsonText(text, EVENT_BOUNDS);
  // What is parsed is JSON.
  return read.ok ? objectOf(read.value as JsonValue) : undefined;
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return value !== undefined && isJsonObject(value) ? value : undefined;
}
