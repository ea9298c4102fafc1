/**
 * Where before-images lie: `.bascule/undo/`, a folder for each call, which no tool may read or write (SPEC E8).
 *
 * Each step is a file, written and synced before the change happens; what it left is another one, written after. So a host
 * that is killed leaves what can be undone, and what cannot be told is told as such. Names say times and sizes, so that
 * making room opens no file.
 */

import { FileError, type Files, type Platform } from "../platform/platform.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import { readJsonText } from "../json/json-text.ts";
import { createInTurn } from "../project/in-turn.ts";
import { hashBytes, type Hasher } from "../json/json-bytes.ts";
import { compareText, sha256Hex } from "../sources/directory/digest.ts";
import { readCall, readState, readStep, type UndoCall, type UndoState, type UndoStep } from "./undo-step.ts";

/** How much is kept. */
export interface UndoBounds {
  /** Of all calls together. While several calls keep large files at once it may be passed by those. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** A step as it was kept. */
export interface KeptStep {
  readonly step: UndoStep;
  /** What the call left there; absent if it was ended before it could be told. */
  readonly after: UndoState | undefined;
  /** What the file held before. @returns undefined if it is not there, or not what the step says. */
  contents(): Promise<Uint8Array | undefined>;
}

/** What one call did, while it does it. */
export interface UndoLog {
  /** Keeps a step, or what `step` finds out and puts into the file that it is given. @returns how to say what came of it. */
  keep(step: UndoStep | ((into: string) => Promise<UndoStep>)): Promise<(after: UndoState) => Promise<void>>;
  /** Bytes that one more image may have; nothing beyond is kept. */
  room(): number;
}

export interface UndoStore {
  /** Begins a call's folder. Where there is no room, the oldest calls of the plugin that holds most go. */
  open(call: UndoCall, plugin?: string): Promise<UndoLog>;
  /** The newest first. */
  list(): Promise<readonly UndoCall[]>;
  /** In the order in which they happened; undefined if there are none of that call. */
  read(callId: string): Promise<{ readonly call: UndoCall; readonly steps: readonly KeptStep[] } | undefined>;
  forget(callId: string): Promise<void>;
}

const OWNER_ONLY = 0o600;
const MAX_CALLS = 500;
/** Steps of one call. One more says that there were others. */
const MAX_STEPS = 10_000;
/** Time, call, and whose it is; absent for the host's own tools. */
const FOLDER = /^(\d{1,16})\.([0-9a-z-]{1,80})(?:\.([0-9a-z_-]{1,63}))?$/;
const STEP = /^(\d{5})\.(\d{1,12})\.step$/;
const BOUNDS = { maxBytes: 64 * 1024, maxDepth: 8 };

interface Folder {
  readonly name: string;
  readonly ms: number;
  readonly key: string;
  /** A plugin, or "" for the host's own tools. */
  readonly owner: string;
}

/** A folder with what its images take. */
interface Held {
  readonly folder: Folder;
  readonly bytes: number;
}

/** @param state the project's `.bascule`. @param bounds asked for each call that changes something. @param most steps of one call */
export function createUndoStore(
  platform: Pick<Platform, "files"> & Hasher,
  state: string,
  bounds: () => UndoBounds,
  most: number = MAX_STEPS,
): UndoStore {
  const { files } = platform;
  const root = `${state}/undo`;
  const inTurn = createInTurn();
  /** Bytes by owner: as they were found, and those that were kept since. */
  let held = new Map<string, number>();
  let spent = new Map<string, number>();
  const tooMany = `the call changed more than ${most} things, and nothing is kept of this one and those after it`;

  async function folders(): Promise<readonly Folder[]> {
    const entries = await names(files, root);
    const found = entries.flatMap((name) => {
      const [, ms = "", key = "", owner = ""] = FOLDER.exec(name) ?? [];
      return key === "" ? [] : [{ name, ms: Number(ms), key, owner }];
    });
    return found.toSorted((left, right) => left.ms - right.ms || compareText(left.key, right.key));
  }

  /** Frees half of the folder: what goes is the oldest call of the owner that holds most. So no plugin pushes out another's. */
  async function makeRoom(nowMs: number): Promise<void> {
    spent = new Map();
    const { maxBytes, maxAgeMs } = bounds();
    let kept: readonly Held[] = await Promise.all(
      (await folders()).map(async (folder) => ({ folder, bytes: sizeOf(await names(files, `${root}/${folder.name}`)) })),
    );
    const forget = async (gone: (one: Held) => boolean): Promise<void> => {
      for (const { folder } of kept.filter(gone)) await files.remove(`${root}/${folder.name}`);
      kept = kept.filter((one) => !gone(one));
    };
    await forget(({ folder }) => nowMs - folder.ms > maxAgeMs);
    for (;;) {
      const isFull = sum(kept, bytesOf) > maxBytes / 2;
      if (!isFull && kept.length < MAX_CALLS) break;
      const victim = oldestOfLargest(kept, isFull ? bytesOf : () => 1);
      await forget((one) => one === victim);
    }
    held = byOwner(kept, bytesOf);
    // What was kept while the folders were read may be in them or not: it is counted twice rather than not at all.
    for (const [owner, bytes] of spent) held.set(owner, (held.get(owner) ?? 0) + bytes);
  }

  /** While a call runs others keep images too: those of an owner that holds more make room. Most have nothing to do here. */
  async function roomFor(owner: string, nowMs: number): Promise<void> {
    const own = held.get(owner) ?? 0;
    const isLarger = [...held.values()].some((bytes) => bytes > own);
    if (isLarger && left() < bounds().maxBytes / 4) await inTurn(() => makeRoom(nowMs));
  }

  function left(): number {
    return Math.max(0, bounds().maxBytes - sum([...held.values()], (bytes) => bytes));
  }

  function count(owner: string, bytes: number): void {
    for (const map of [held, spent]) map.set(owner, (map.get(owner) ?? 0) + bytes);
  }

  async function find(callId: string): Promise<string | undefined> {
    const key = await keyOf(callId);
    return (await folders()).findLast((folder) => folder.key === key)?.name;
  }

  return {
    async open(call, owner = "") {
      await inTurn(() => makeRoom(call.atMs));
      const folder = `${root}/${call.atMs}.${await keyOf(call.callId)}${owner && `.${owner}`}`;
      await files.makeDirectory(folder);
      await files.writeAtomic(`${folder}/call.json`, JSON.stringify(call), OWNER_ONLY);
      let steps = 0;
      return {
        room: () => (steps < most ? left() : 0),
        async keep(wanted) {
          if (steps > most) return async () => {};
          const number = String(steps++).padStart(5, "0");
          await roomFor(owner, call.atMs);
          const step = typeof wanted === "function" ? await wanted(`${folder}/${number}.before`) : wanted;
          if (steps > most) {
            const last: UndoStep = { kind: "place", path: step.path, before: { kind: "unkept", reason: tooMany } };
            await files.writeAtomic(`${folder}/${number}.0.step`, JSON.stringify(last), OWNER_ONLY);
            return async () => {};
          }
          const size = step.kind === "place" && step.before.kind === "file" ? step.before.bytes : 0;
          count(owner, size);
          await files.writeAtomic(`${folder}/${number}.${size}.step`, JSON.stringify(step), OWNER_ONLY);
          return async (after) => await files.writeAtomic(`${folder}/${number}.after`, JSON.stringify(after), OWNER_ONLY);
        },
      };
    },

    async list() {
      const calls = await Promise.all((await folders()).map(async ({ name }) => await readCallOf(files, `${root}/${name}`)));
      return calls.filter((call) => call !== undefined).toReversed();
    },

    async read(callId) {
      const name = await find(callId);
      const folder = `${root}/${name ?? ""}`;
      const call = name === undefined ? undefined : await readCallOf(files, folder);
      if (call?.callId !== callId) return undefined;
      const steps: KeptStep[] = [];
      for (const entry of (await names(files, folder)).toSorted(compareText)) {
        const [, number = ""] = STEP.exec(entry) ?? [];
        const step = number === "" ? undefined : readStep((await readJson(files, `${folder}/${entry}`)) ?? null);
        if (step === undefined) continue;
        const after = readState((await readJson(files, `${folder}/${number}.after`)) ?? null);
        steps.push({ step, after, contents: () => readContents(platform, `${folder}/${number}.before`, step) });
      }
      return { call, steps };
    },

    async forget(callId) {
      const name = await find(callId);
      if (name !== undefined) await files.remove(`${root}/${name}`);
    },
  };
}

function bytesOf({ bytes }: Held): number {
  return bytes;
}

function sum<T>(list: readonly T[], measure: (one: T) => number): number {
  return list.reduce((total, one) => total + measure(one), 0);
}

function byOwner(kept: readonly Held[], measure: (one: Held) => number): Map<string, number> {
  const owners = new Map<string, number>();
  for (const one of kept) owners.set(one.folder.owner, (owners.get(one.folder.owner) ?? 0) + measure(one));
  return owners;
}

/** @param kept the oldest first; not empty */
function oldestOfLargest(kept: readonly Held[], measure: (one: Held) => number): Held | undefined {
  const [largest] = [...byOwner(kept, measure)].toSorted(([, left], [, right]) => right - left)[0] ?? [];
  return kept.find(({ folder }) => folder.owner === largest);
}

/** Ids of callers may be any text. */
async function keyOf(callId: string): Promise<string> {
  return /^[0-9a-z-]{1,64}$/.test(callId) ? callId : `h-${await sha256Hex(new TextEncoder().encode(callId))}`;
}

function sizeOf(entries: readonly string[]): number {
  return entries.reduce((sum, name) => sum + Number(STEP.exec(name)?.[2] ?? 0), 0);
}

async function names(files: Files, folder: string): Promise<readonly string[]> {
  return (await files.list(folder).catch(unlessMissing([]))).map(({ name }) => name);
}

async function readCallOf(files: Files, folder: string): Promise<UndoCall | undefined> {
  return readCall((await readJson(files, `${folder}/call.json`)) ?? null);
}

async function readJson(files: Files, path: string): Promise<JsonValue | undefined> {
  const bytes = await files.readBytes(path, BOUNDS.maxBytes).catch(unlessMissing(undefined));
  const read = bytes && readJsonText(new TextDecoder().decode(bytes), BOUNDS);
  // What is parsed is JSON.
  return read?.ok === true ? (read.value as JsonValue) : undefined;
}

/** Only what the step says is put back: a file that was cut or changed is none. */
async function readContents(platform: Pick<Platform, "files"> & Hasher, path: string, step: UndoStep): Promise<Uint8Array | undefined> {
  if (step.kind !== "place" || step.before.kind !== "file") return undefined;
  const bytes = await platform.files.readBytes(path, step.before.bytes).catch(unlessMissing(undefined));
  return bytes !== undefined && (await hashBytes(bytes, platform)) === step.before.sha256 ? bytes : undefined;
}

/** Another host of the project may have made room meanwhile; what is no file of ours is none. */
function unlessMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof FileError && GONE.has(error.code)) return instead;
    throw error;
  };
}

const GONE: ReadonlySet<string> = new Set(["not_found", "not_a_directory", "is_a_directory", "not_regular", "too_large"]);
