/**
 * Exports the journal as lines of JSON, one per row, with a signature of all of them as the last line (SPEC AU3). `checkExport` needs only
 * the lines to detect a changed, moved, inserted or removed one; the key identifies the signer.
 */

import type { JsonValue } from "../../manifests/mod.ts";
import { printableJson } from "../primitives/text.ts";
import { readJsonText } from "../primitives/json/json-text.ts";
import type { JournalKey, Journals } from "../platform/files/journal-types.ts";
import type { OnDamage } from "./file-rows.ts";
import { objectOf } from "../primitives/json/object-of.ts";
import { EVENT_BOUNDS } from "./journal-files.ts";
import { type JournalPlace, readJournal } from "./verify.ts";

/** Result of checking an export. */
interface ExportReport {
  readonly ok: boolean;
  readonly rows: number;
  readonly first: number;
  readonly head?: { readonly number: number; readonly seal: string };
  /** The signer's key, and the time in milliseconds since the epoch; absent if the export is not signed. */
  readonly signed?: { readonly publicKey: string; readonly time: number };
  /** The first invalid row, and problems of the whole export. */
  readonly problems: readonly string[];
}

interface Signature {
  readonly rows: number;
  readonly first: number;
  readonly last: number;
  readonly time: number;
  readonly publicKey: string;
}

const LINE = /^\{"number":(\d{1,15}),"seal":"([0-9a-f]{64})","event":(.*)\}$/su;
const SIGNATURE_START = '{"signature":';

/** @param key absent for an unsigned export */
export async function* exportLines(
  place: JournalPlace,
  { key, time, onDamage }: { readonly key: JournalKey | undefined; readonly time: number; readonly onDamage: OnDamage },
): AsyncGenerator<string> {
  let digest = "";
  let rows = 0;
  let first = 0;
  let last = 0;
  for await (const { number, seal, text } of readJournal(place, onDamage)) {
    rows += 1;
    first ||= number;
    last = number;
    digest = place.journals.seal(digest, number, `${seal}\n${text}`);
    yield `{"number":${number},"seal":"${seal}","event":${text}}`;
  }
  if (key === undefined) return;
  const about = { rows, first, last, time, publicKey: key.publicKey };
  yield `${SIGNATURE_START}${JSON.stringify({ ...about, of: place.journals.sign(key, signedExportText(about, digest)) })}}`;
}

/** @param lines without line ends. @param publicKey of the expected signer */
export function checkExport(
  lines: Iterable<string>,
  { journals, publicKey }: { readonly journals: Pick<Journals, "seal" | "isSigned">; readonly publicKey: string | undefined },
): ExportReport {
  let problem: string | undefined;
  let digest = "";
  let rows = 0;
  let first = 0;
  let head: { readonly number: number; readonly seal: string } | undefined;
  let end: string | undefined;
  let at = 0;
  for (const line of lines) {
    at += 1;
    if (end !== undefined) problem ??= `line ${at} follows the signature`;
    if (line.startsWith(SIGNATURE_START)) {
      end = line;
      continue;
    }
    const [, digits, seal = "", text = ""] = LINE.exec(line) ?? [];
    if (digits === undefined) {
      problem ??= `line ${at} is not a row of a journal`;
      continue;
    }
    const number = Number(digits);
    const row = sealedText(text);
    digest = journals.seal(digest, number, `${seal}\n${row}`);
    const follows = head === undefined || number === head.number + 1;
    if (!follows) problem ??= `row ${number} follows row ${head?.number ?? 0}`;
    // Rows before the first one of an export may have been removed from the journal: only the signature covers that.
    else if ((head !== undefined || number === 1) && journals.seal(head?.seal ?? "", number, row) !== seal)
      problem ??= `row ${number} does not match its seal`;
    rows += 1;
    first ||= number;
    head = { number, seal };
  }
  const problems = problem === undefined ? [] : [problem];
  const signature = end === undefined ? undefined : readSignature(end);
  if (signature === undefined)
    problems.push("the signature is missing: the export is truncated, or no key was available when it was written");
  else {
    const { about, of } = signature;
    const isWhole = about.rows === rows && about.first === first && about.last === (head?.number ?? 0);
    if (!isWhole || !journals.isSigned(about.publicKey, signedExportText(about, digest), of))
      problems.push(`the signature covers ${about.rows} other rows, ${about.first} to ${about.last}`);
    if (publicKey !== undefined && about.publicKey !== publicKey) problems.push(`it is signed with another key, ${about.publicKey}`);
  }
  return {
    ...{ ok: problems.length === 0, rows, first },
    ...(head && { head }),
    ...(signature && { signed: { publicKey: signature.about.publicKey, time: signature.about.time } }),
    problems,
  };
}

/** Returns the text that was sealed. Exports to a terminal escape some characters. */
function sealedText(text: string): string {
  const read = readJsonText(text, EVENT_BOUNDS);
  const written = read.ok ? JSON.stringify(read.value) : text;
  return printableJson(written) === text ? written : text;
}

function signedExportText({ rows, first, last, time }: Signature, digest: string): string {
  return `bascule export\n${rows}\n${first}\n${last}\n${time}\n${digest}`;
}

function readSignature(line: string): { readonly about: Signature; readonly of: string } | undefined {
  const read = readJsonText(line, EVENT_BOUNDS);
  // The parsed value is JSON.
  const value = read.ok ? objectOf((objectOf(read.value as JsonValue) ?? {})["signature"]) : undefined;
  const { rows, first, last, time, publicKey, of } = value ?? {};
  if (typeof rows !== "number" || typeof first !== "number" || typeof last !== "number" || typeof time !== "number") return undefined;
  return typeof publicKey === "string" && typeof of === "string" ? { about: { rows, first, last, time, publicKey }, of } : undefined;
}
