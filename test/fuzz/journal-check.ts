/**
 * Damaged and edited journals (SPEC AU3). A case is one seed.
 *
 * Damage: for any bytes in a file, each reader terminates, and reads everything or reports what it could not read. Edits: for any records
 * in a journal, `verify` reports if they differ from what the last checkpoint recorded.
 */

import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readCheckpoints } from "../../host/audit/checkpoints.ts";
import type { HostEvent } from "../../host/audit/events.ts";
import { exportLines } from "../../host/audit/export.ts";
import { createJournal } from "../../host/audit/journal.ts";
import { actsTask, readParts, sessionTask, verifyTask } from "../../host/audit/journal-reader.ts";
import { journalWriter, retainBy } from "../../host/host/open-events.ts";
import { followingTask } from "../../host/audit/following.ts";
import { searchJournal, searchStep } from "../../host/audit/search.ts";
import type { SessionState } from "../../host/audit/session-state.ts";
import { readJournal } from "../../host/audit/verify.ts";
import type { RecordedActs } from "../../host/audit/acts.ts";
import { JournalError, type JournalRow } from "../../host/platform/files/journal-types.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { createService } from "../../host/primitives/service/service.ts";
import type { TaskEnvironment } from "../../host/primitives/service/task.ts";
import { drained } from "../support/drained.ts";
import { createRandom, type Random } from "./random.ts";

const platform = currentPlatform({ log: { level: "error" } });
const { journals, files, clock } = platform;
const env: TaskEnvironment = { ...platform, now: clock.monotonic, turn: () => Promise.resolve() };

/** A journal as a host left it, with facts about it. */
export interface Sample {
  readonly folder: string;
  readonly checkpoints: string;
  /** The same journal, half as long. */
  readonly older: string;
  /** Records by file. */
  readonly rows: ReadonlyMap<string, readonly JournalRow[]>;
  readonly events: number;
}

/** Creates a journal in a new folder. @param isCut removes files, as when the host makes space */
export async function createSample(root: string, isCut: boolean): Promise<Sample> {
  const [folder, older, checkpoints] = ["journal", "older", "known/journal.db"].map((name) => join(root, name)) as [string, string, string];
  await write(folder, checkpoints, { from: 0, to: 75, isCut });
  await cp(folder, older, { recursive: true });
  await write(folder, checkpoints, { from: 75, to: 150, isCut });
  const rows = await rowsIn(folder);
  let events = 0;
  for (const { text } of [...rows.values()].flat())
    if (!text.startsWith('{"type":"journal.') || text.startsWith('{"type":"journal.kept"')) events += 1;
  return { folder, checkpoints, older, rows, events };
}

async function write(
  folder: string,
  checkpoints: string,
  { from, to, isCut }: { readonly from: number; readonly to: number; readonly isCut: boolean },
): Promise<void> {
  const onDefect = (message: string, error?: unknown): void => {
    throw new Error(`${message}: ${String(error)}`);
  };
  const service = (): ReturnType<typeof createService> => createService({ threads: undefined, environment: platform, onDefect });
  const store = createJournal({
    ...{ folder, clock, onDefect, writer: journalWriter(service(), folder, checkpoints), retain: retainBy(service(), checkpoints) },
    ...{ maximumFileBytes: 12_000, maximumFiles: isCut ? 2 : 99 },
  });
  await store.prepare();
  for (let number = from; number < to; number++) {
    const payload = {
      tool: "t",
      sideEffects: ["read"],
      permission: "read",
      value: `/${number}`,
      decision: "granted",
      text: "x".repeat((number * 97) % 600),
    };
    const type = number % 3 === 0 ? "capability.used" : "tool.called";
    const event = {
      id: `e${number}`,
      type,
      time: number,
      producer: "bascule",
      plugin: `p${number % 3}`,
      sessionId: "s",
      callId: `c${number}`,
      payload,
    };
    void store.append(event as unknown as HostEvent);
    if (number % 7 === 0) await store.flush();
  }
  await store.close();
}

async function rowsIn(folder: string): Promise<ReadonlyMap<string, readonly JournalRow[]>> {
  const found = new Map<string, readonly JournalRow[]>();
  for (const name of (await readdir(folder)).filter((one) => one.endsWith(".db")).toSorted()) {
    const file = journals.open(join(folder, name), "read");
    found.set(name, file.rows(0, 100_000));
    file.close();
  }
  return found;
}

/** Entry of `npm run fuzz`, with samples that live as long as the process. */
export async function checkJournalDamage(seed: number): Promise<readonly string[]> {
  return await checkDamage(await sampleFor(seed), seed);
}

/** Entry of `npm run fuzz`. */
export async function checkJournalEdit(seed: number): Promise<readonly string[]> {
  return await checkEdit(await sampleFor(seed), seed);
}

const samples = new Map<boolean, Promise<Sample>>();

async function sampleFor(seed: number): Promise<Sample> {
  const isCut = seed % 2 === 0;
  const known = samples.get(isCut) ?? mkdtemp(join(tmpdir(), "bascule-journal-")).then((root) => createSample(root, isCut));
  samples.set(isCut, known);
  return await known;
}

/** @returns the problems in how the damage was read */
export async function checkDamage(sample: Sample, seed: number): Promise<readonly string[]> {
  return await inCopy(sample.folder, async (folder) => {
    const random = createRandom(seed);
    const name = random.pick([...sample.rows.keys()] as [string, ...string[]]);
    const path = join(folder, name);
    const [bytes, what] = damaged(await readFile(path), random);
    await writeFile(path, bytes);
    return (await readEverything(sample, folder)).map((problem) => `${name}, ${what}: ${problem}`);
  });
}

function damaged(bytes: Buffer, random: Random): readonly [bytes: Buffer, what: string] {
  const at = random.below(bytes.length);
  switch (random.below(5)) {
    case 0:
      return [bytes.subarray(0, at), `cut at ${at}`];
    case 1: {
      // Cut inside the last page, which SQLite reads as if it were whole.
      const length = bytes.length - random.between(1, 4_095);
      return [bytes.subarray(0, length), `cut at ${length}`];
    }
    case 2: {
      for (let flips = random.between(1, 8); flips > 0; flips--) {
        const where = random.below(bytes.length);
        bytes[where] = (bytes[where] ?? 0) ^ (1 << random.below(8));
      }
      return [bytes, "flips"];
    }
    case 3: {
      const length = random.between(1, 5_000);
      bytes.fill(random.pick([0, 255, 65]), at, Math.min(bytes.length, at + length));
      return [bytes, `${length} bytes written over at ${at}`];
    }
    default: {
      // Damage page headers: positions and number of cells, and the next page.
      const page = random.below(bytes.length / 4_096) * 4_096;
      bytes[page + random.below(12)] = random.below(256);
      return [bytes, `the header of the page at ${page}`];
    }
  }
}

async function readEverything(sample: Sample, folder: string): Promise<readonly string[]> {
  const { events, checkpoints } = sample;
  const place = { journals, files, folder };
  const problems: string[] = [];
  const damage: string[] = [];
  const onDamage = (text: string): void => void damage.push(text);
  const expectAll = (command: string, found: number, all: number): void => {
    if (found !== all && damage.length === 0) problems.push(`${command} found ${found} of ${all} and no damage`);
    damage.length = 0;
  };
  const rows: JournalRow[] = [];
  for await (const row of readJournal(place, onDamage)) rows.push(row);
  const all = [...sample.rows.values()].flat();
  expectAll("export", rows.length, all.length);
  let lines = 0;
  for await (const _ of exportLines(place, { key: undefined, time: 0, onDamage })) lines += 1;
  expectAll("export", lines, all.length);
  const found = await searchJournal((step) => searchStep(step, env), { folder, filter: {}, limit: 10_000 }, onDamage);
  expectAll("search", found.length, events);
  const tail = await searchJournal((step) => searchStep(step, env), { folder, filter: {}, limit: 20 }, onDamage);
  expectAll("tail", tail.length, 20);
  let following = 0;
  for (let after = 0, isEnd = false; !isEnd;) {
    const page = await followingTask({ folder, after }, env);
    damage.push(...page.damage);
    following += page.texts.length;
    if (page.last <= after && !page.isEnd) problems.push(`following does not advance from row ${after}`);
    ({ last: after, isEnd } = page);
    if (problems.length > 0) break;
  }
  expectAll("following", following, events);
  const session = drained(readParts<SessionState>(await sessionTask({ folder, sessionId: "s" }, env)));
  damage.push(...(session.damage ?? []));
  expectAll("session", session.calls.length, events);
  try {
    const query = { plugin: "p1", bases: {}, requires: new Map() };
    const { calls } = drained(readParts<RecordedActs>(await actsTask({ folder, query }, env)));
    if (calls > events) problems.push(`acts counted ${calls} calls`);
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
  }
  const { ok } = await verifyTask({ folder, checkpoints }, env);
  const isSame =
    rows.length === all.length &&
    rows.every(({ number, seal, text }, index) => number === all[index]?.number && seal === all[index].seal && text === all[index].text);
  if (ok && !isSame) problems.push("verify finds nothing wrong");
  return problems;
}

/** @returns the problems in how the edit was judged */
export async function checkEdit(sample: Sample, seed: number): Promise<readonly string[]> {
  const random = createRandom(seed);
  return await inCopy(sample.folder, async (folder) => {
    const what = await edit(sample, folder, random);
    const { ok } = await verifyTask({ folder, checkpoints: sample.checkpoints }, env);
    return ok ? [`verify does not find: ${what}`] : [];
  });
}

/** Edits the list of all records. Files keep their first record. */
type EditRows = (rows: JournalRow[], random: Random) => string;

const EDITS: readonly [EditRows, ...EditRows[]] = [
  (rows, random) => {
    const at = random.below(rows.length);
    const { text, ...row } = rowAt(rows, at);
    const place = random.below(text.length);
    rows[at] = { ...row, text: text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) ^ 1) + text.slice(place + 1) };
    return `row ${row.number} changed`;
  },
  (rows, random) => `${rows.splice(random.below(rows.length), random.between(1, 3)).length} rows removed`,
  (rows, random) => {
    const [left, right] = [random.below(rows.length), random.below(rows.length - 1)];
    const other = right >= left ? right + 1 : right;
    const [a, b] = [rowAt(rows, left), rowAt(rows, other)];
    if (a.text === b.text) return `${rows.splice(left, 1).length} row removed`;
    rows[left] = { ...a, text: b.text };
    rows[other] = { ...b, text: a.text };
    return `rows ${a.number} and ${b.number} exchanged`;
  },
  (rows, random) => {
    const at = random.below(rows.length);
    rows.splice(at, 0, { ...rowAt(rows, at), text: '{"type":"tool.called","time":1}' });
    return `a row inserted at ${at}`;
  },
  (rows, random) => `the end cut off by ${rows.splice(-random.between(1, rows.length - 1)).length} rows`,
  (rows, random) => `the beginning cut off by ${rows.splice(0, random.between(1, rows.length - 1)).length} rows`,
  (rows, random) => {
    const at = random.between(1, rows.length - 2);
    return `${rows.splice(at, random.between(1, rows.length - at - 1)).length} rows in the middle removed`;
  },
];

function rowAt(rows: readonly JournalRow[], at: number): JournalRow {
  return rows[at] ?? { number: 0, seal: "", text: "" };
}

async function edit(sample: Sample, folder: string, random: Random): Promise<string> {
  const names = [...sample.rows.keys()] as [string, ...string[]];
  switch (random.below(6)) {
    case 0:
      await rm(folder, { recursive: true });
      if (random.oneIn(2)) return "the folder removed";
      await cp(sample.older, folder, { recursive: true });
      return "an older copy in its place";
    case 1: {
      const name = random.pick(names);
      await rm(join(folder, name));
      return `${name} removed`;
    }
    default: {
      const all = [...sample.rows.values()].flat();
      const rows = [...all];
      const what = random.pick(EDITS)(rows, random);
      const sealed = random.below(3);
      const written = sealed === 0 ? rows : resealed(rows, sealed === 1 ? (all[0]?.number ?? 1) : (rows[0]?.number ?? 1));
      await writeRows(folder, names, written);
      return `${what}${sealed === 0 ? "" : ", and sealed again"}`;
    }
  }
}

/** Seals as an attacker who knows the format would: numbers without gaps, each record sealed with the previous one. */
function resealed(rows: readonly JournalRow[], first: number): readonly JournalRow[] {
  let seal = "";
  return rows.map((row, index) => {
    const number = first + index;
    // The first record of a shortened journal is sealed with a removed one.
    seal = index === 0 && first > 1 ? row.seal : journals.seal(seal, number, row.text);
    return { number, seal, text: row.text };
  });
}

async function writeRows(folder: string, names: readonly string[], rows: readonly JournalRow[]): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name));
  const [first] = rows;
  for (const [index, name] of names.entries()) {
    const [from, to] = [Number.parseInt(name, 10), Number.parseInt(names[index + 1] ?? "999999999999", 10)];
    const own = rows.filter(({ number }) => number < to && (number >= from || index === 0));
    if (own.length === 0) continue;
    const database = new DatabaseSync(join(folder, name));
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    database.exec("CREATE TABLE rows (number INTEGER PRIMARY KEY AUTOINCREMENT, seal TEXT NOT NULL, text TEXT NOT NULL) STRICT; BEGIN");
    const insert = database.prepare("INSERT OR IGNORE INTO rows (number, seal, text) VALUES (?, ?, ?)");
    for (const { number, seal, text } of own) insert.run(number, seal, text);
    database.exec("COMMIT");
    database.close();
    // Each file is named after its first record.
    if (own[0] === first && first !== undefined)
      await rename(join(folder, name), join(folder, `${String(first.number).padStart(12, "0")}.db`));
  }
}

/** Runs the work with a copy of a folder, which is removed afterwards. */
export async function inCopy<T>(folder: string, work: (copy: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), "bascule-journal-"));
  try {
    await cp(folder, join(root, "audit"), { recursive: true });
    return await work(join(root, "audit"));
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Returns the key that signs the exports of a sample. */
export async function keyOf({ checkpoints }: Sample): Promise<NonNullable<Awaited<ReturnType<typeof readCheckpoints>>>["key"]> {
  const known = await readCheckpoints(checkpoints, env);
  if (known === undefined) throw new Error("No key found");
  return known.key;
}
