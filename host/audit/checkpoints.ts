/**
 * Signed checkpoints of a journal (SPEC AU3), kept outside of its folder in the user's configuration, where no tool may write. With them
 * `verify` detects a truncated end, an older copy and a deleted folder, which the journal alone cannot show.
 *
 * The file holds one row, replaced in a transaction, because several hosts may write it.
 */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import { readJsonText } from "../primitives/json/json-text.ts";
import { JournalError, type JournalKey, type JournalRow, type Journals } from "../platform/files/journal-types.ts";
import type { ServiceTask, TaskEnvironment } from "../primitives/service/task.ts";
import { EVENT_BOUNDS, firstOf, namesOf } from "./journal-files.ts";

/** A row that the journal contained at a given time. */
export interface Checkpoint {
  readonly number: number;
  readonly seal: string;
  /** The oldest row at that time. */
  readonly first: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Signature of all fields above with the journal's key. */
  readonly signature: string;
}

/** Contents of the checkpoint file. */
export interface KeptCheckpoints {
  readonly key: JournalKey;
  /** The newest checkpoint, preceded by those that the journal contradicts: they stay until the user accepts the journal as it is. */
  readonly checkpoints: readonly Checkpoint[];
  readonly accepted?: { readonly time: number; readonly problems: readonly string[] };
}

/** A checkpoint to write. */
interface CheckpointRequest {
  /** Folder of the journal. Absolute. */
  readonly folder: string;
  /** File of the checkpoints. Absolute; created if it does not exist. */
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The oldest row after earlier files are removed. */
  readonly first?: number;
  /** Problems of a journal that the user accepts as it is: older checkpoints are discarded. */
  readonly accept?: readonly string[];
}

/** Maximum number of checkpoints if the journal contradicts them repeatedly: the first ones and the newest stay. */
const MOST_CHECKPOINTS = 8;
/** Maximum number of problems kept with an acceptance. */
const MOST_PROBLEMS = 20;
/** Maximum number of attempts while another process writes the file. */
const MOST_TRIES = 40;

/** @returns `the checkpoint of <time>` */
export function checkpointText({ time }: Pick<Checkpoint, "time">): string {
  return `the checkpoint of ${new Date(time).toISOString()}`;
}

/** Returns undefined if there are none. @throws {JournalError} if the file cannot be read. */
export async function readCheckpoints(
  file: string,
  { journals, files }: { readonly journals: Pick<Journals, "open">; readonly files: Pick<TaskEnvironment["files"], "stat"> },
): Promise<KeptCheckpoints | undefined> {
  if ((await files.stat(file)) === undefined) return undefined;
  const opened = journals.open(file, "read");
  try {
    const row = opened.last();
    const kept = row && parse(row.text);
    if (row !== undefined && kept === undefined) throw new JournalError("it was altered", false);
    return kept;
  } finally {
    opened.close();
  }
}

/** Separates the checkpoints that the key signs from the problems of the others. */
export function checkSignatures(
  { key, checkpoints }: KeptCheckpoints,
  journals: Pick<Journals, "isSigned">,
): { readonly signed: readonly Checkpoint[]; readonly problems: readonly string[] } {
  const signed = checkpoints.filter((checkpoint) => journals.isSigned(key.publicKey, signedText(checkpoint), checkpoint.signature));
  const others = checkpoints.filter((checkpoint) => !signed.includes(checkpoint));
  return { signed, problems: others.map((checkpoint) => `${checkpointText(checkpoint)} has a wrong signature`) };
}

/** Returns the text that a checkpoint's signature covers. */
function signedText({ number, seal, first, time }: Omit<Checkpoint, "signature">): string {
  return `bascule journal\n${number}\n${seal}\n${first}\n${time}`;
}

export const CHECKPOINT_JOURNAL: ServiceTask<typeof checkpointJournal> = { name: "journal.checkpoint", run: checkpointJournal };

/**
 * Notes the newest row. Runs on the service thread.
 *
 * @returns a conflict if the journal no longer holds a row that older checkpoints know; these checkpoints stay
 * @throws {JournalError} if the file cannot be written
 */
export async function checkpointJournal(options: CheckpointRequest, env: TaskEnvironment): Promise<{ readonly conflict?: string }> {
  const { folder, file, accept } = options;
  const names = await namesOf({ ...env, folder });
  if (names.length === 0 && accept === undefined) return {};
  await env.files.makeDirectory(file.slice(0, file.lastIndexOf("/")));
  for (let tries = 1; ; tries++) {
    try {
      return write(options, names, env);
    } catch (error) {
      if (!(error instanceof JournalError && error.busy && tries < MOST_TRIES)) throw error;
      await env.turn();
    }
  }
}

function write(options: CheckpointRequest, names: readonly string[], { journals }: TaskEnvironment): { readonly conflict?: string } {
  const { folder, file, time, accept } = options;
  const store = journals.open(file, "append");
  let conflict: string | undefined;
  try {
    store.append((last) => {
      const before = last && parse(last.text);
      if (last !== undefined && before === undefined)
        throw new JournalError(`"${file}" was altered (delete it to start with new checkpoints)`, false);
      const key = before?.key ?? journals.newKey();
      const known = accept === undefined ? (before?.checkpoints ?? []) : [];
      const first = firstOf(names[0] ?? "0");
      const confirmed = known.filter((one) => first > 0 && first <= one.first && isThere(one, { names, folder, journals }));
      const missed = known.filter((one) => !confirmed.includes(one));
      const head = newestRow(names, folder, journals);
      const next = { ...head, first: Math.max(options.first ?? first, ...confirmed.map((one) => one.first)), time };
      conflict = missed[0] && `${checkpointText(missed[0])} has row ${missed[0].number}, and the journal does not`;
      const checkpoints = [
        ...missed.slice(0, MOST_CHECKPOINTS - 1),
        ...(isRow(next) ? [{ ...next, signature: journals.sign(key, signedText(next)) }] : []),
      ];
      const accepted = accept === undefined ? before?.accepted : { time, problems: accept.slice(0, MOST_PROBLEMS) };
      const text = JSON.stringify({ version: 1, key, checkpoints, ...(accepted && { accepted }) });
      const number = (last?.number ?? 0) + 1;
      return [{ number, seal: journals.seal(last?.seal ?? "", number, text), text }];
    }, 1);
  } finally {
    store.close();
  }
  return conflict === undefined ? {} : { conflict };
}

function isRow<T extends Partial<Pick<Checkpoint, "number" | "seal">>>(found: T): found is T & Pick<Checkpoint, "number" | "seal"> {
  return found.number !== undefined && found.seal !== undefined;
}

interface Where {
  readonly names: readonly string[];
  readonly folder: string;
  readonly journals: Journals;
}

function isThere({ number, seal }: Checkpoint, { names, folder, journals }: Where): boolean {
  const name = names.findLast((other) => firstOf(other) <= number);
  if (name === undefined) return false;
  const file = journals.open(`${folder}/${name}`, "read");
  try {
    const [row] = file.rows(number - 1, 1);
    return row?.number === number && row.seal === seal;
  } finally {
    file.close();
  }
}

/** Returns the newest row: the last one of the last file that is not empty. @throws {JournalError} if its end is damaged or truncated */
function newestRow(names: readonly string[], folder: string, journals: Journals): Pick<JournalRow, "number" | "seal"> | undefined {
  for (const name of names.toReversed()) {
    const file = journals.open(`${folder}/${name}`, "read");
    try {
      const row = file.last();
      if (row !== undefined && row.number !== file.highest())
        throw new JournalError(`${name} ends with row ${row.number}, but row ${file.highest()} was written`, false);
      if (row !== undefined) return { number: row.number, seal: row.seal };
    } finally {
      file.close();
    }
  }
  return undefined;
}

function parse(text: string): KeptCheckpoints | undefined {
  const read = readJsonText(text, EVENT_BOUNDS);
  // The parsed value is JSON.
  const value = read.ok ? (read.value as JsonValue) : undefined;
  if (value === undefined || !isJsonObject(value) || value["version"] !== 1) return undefined;
  const { key, checkpoints, accepted } = value;
  if (key === undefined || !isJsonObject(key) || checkpoints === undefined || !isJsonArray(checkpoints)) return undefined;
  const { privateKey, publicKey } = key;
  if (typeof privateKey !== "string" || typeof publicKey !== "string") return undefined;
  const all = checkpoints.map((one) => (isJsonObject(one) ? readCheckpoint(one) : undefined));
  const known = all.filter((one) => one !== undefined);
  if (known.length < all.length) return undefined;
  const taken = accepted !== undefined && isJsonObject(accepted) ? readAcceptance(accepted) : undefined;
  return { key: { privateKey, publicKey }, checkpoints: known, ...(taken && { accepted: taken }) };
}

/** Returns undefined if a field is missing or has the wrong type. */
function readCheckpoint({ number, seal, first, time, signature }: JsonObject): Checkpoint | undefined {
  if (typeof number !== "number" || typeof first !== "number" || typeof time !== "number") return undefined;
  if (typeof seal !== "string" || typeof signature !== "string") return undefined;
  return { number, seal, first, time, signature };
}

function readAcceptance({ time, problems }: JsonObject): KeptCheckpoints["accepted"] {
  if (typeof time !== "number" || problems === undefined || !isJsonArray(problems)) return undefined;
  return { time, problems: problems.filter((problem) => typeof problem === "string") };
}
