/**
 * Where before-images lie: `.bascule/undo/`, a folder for each call, which no tool may read or write (SPEC E8).
 *
 * Each step is a file, written and synced before the change happens; what it left is another one, written after. So a host
 * that is killed leaves what can be undone, and what cannot be told is told as such. Names say times and sizes, so that
 * making room opens no file.
 */

import { FileError, type Files } from "../platform/platform.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import { readJsonText } from "../json/json-text.ts";
import { compareText, sha256Hex } from "../sources/directory/digest.ts";
import { readCall, readState, readStep, type UndoCall, type UndoState, type UndoStep } from "./undo-step.ts";

/** How much is kept. */
export interface UndoBounds {
  /** Of all calls together. */
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
  /** Begins a call's folder. The oldest calls go if there is no room. */
  open(call: UndoCall): Promise<UndoLog>;
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
const FOLDER = /^(\d{1,16})\.([0-9a-z-]{1,80})$/;
const STEP = /^(\d{5})\.(\d{1,12})\.step$/;
const BOUNDS = { maxBytes: 64 * 1024, maxDepth: 8 };

interface Folder {
  readonly name: string;
  readonly ms: number;
  readonly key: string;
}

/** @param state the project's `.bascule`. @param bounds asked for each call that changes something. @param most steps of one call */
export function createUndoStore(files: Files, state: string, bounds: () => UndoBounds, most: number = MAX_STEPS): UndoStore {
  const root = `${state}/undo`;
  const tooMany = `the call changed more than ${most} things, and nothing is kept of this one and those after it`;

  async function folders(): Promise<readonly Folder[]> {
    const entries = await names(files, root);
    const found = entries.flatMap((name) => {
      const [, ms = "", key = ""] = FOLDER.exec(name) ?? [];
      return key === "" ? [] : [{ name, ms: Number(ms), key }];
    });
    return found.toSorted((left, right) => left.ms - right.ms || compareText(left.key, right.key));
  }

  async function makeRoom(nowMs: number): Promise<number> {
    const { maxBytes, maxAgeMs } = bounds();
    const all = await folders();
    const sizes = await Promise.all(all.map(async ({ name }) => sizeOf(await names(files, `${root}/${name}`))));
    let total = sizes.reduce((sum, size) => sum + size, 0);
    for (const [index, { name, ms }] of all.entries()) {
      const isOld = nowMs - ms > maxAgeMs || all.length - index >= MAX_CALLS;
      // Half of it stays free for the call that begins.
      if (!isOld && total <= maxBytes / 2) continue;
      await files.remove(`${root}/${name}`);
      total -= sizes[index] ?? 0;
    }
    return Math.max(0, maxBytes - total);
  }

  async function find(callId: string): Promise<string | undefined> {
    const key = await keyOf(callId);
    return (await folders()).findLast((folder) => folder.key === key)?.name;
  }

  return {
    async open(call) {
      let left = await makeRoom(call.atMs);
      const folder = `${root}/${call.atMs}.${await keyOf(call.callId)}`;
      await files.makeDirectory(folder);
      await files.writeAtomic(`${folder}/call.json`, JSON.stringify(call), OWNER_ONLY);
      let count = 0;
      return {
        room: () => (count < most ? left : 0),
        async keep(wanted) {
          if (count > most) return async () => {};
          const number = String(count++).padStart(5, "0");
          if (count > most) {
            const { path } = typeof wanted === "function" ? await wanted(`${folder}/${number}.before`) : wanted;
            const last: UndoStep = { kind: "place", path, before: { kind: "unkept", reason: tooMany } };
            await files.writeAtomic(`${folder}/${number}.0.step`, JSON.stringify(last), OWNER_ONLY);
            return async () => {};
          }
          const step = typeof wanted === "function" ? await wanted(`${folder}/${number}.before`) : wanted;
          const size = step.kind === "place" && step.before.kind === "file" ? step.before.bytes : 0;
          left -= size;
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
        steps.push({ step, after, contents: () => readContents(files, `${folder}/${number}.before`, step) });
      }
      return { call, steps };
    },

    async forget(callId) {
      const name = await find(callId);
      if (name !== undefined) await files.remove(`${root}/${name}`);
    },
  };
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
async function readContents(files: Files, path: string, step: UndoStep): Promise<Uint8Array | undefined> {
  if (step.kind !== "place" || step.before.kind !== "file") return undefined;
  const bytes = await files.readBytes(path, step.before.bytes).catch(unlessMissing(undefined));
  return bytes !== undefined && (await sha256Hex(bytes.slice())) === step.before.sha256 ? bytes : undefined;
}

/** Another host of the project may have made room meanwhile; what is no file of ours is none. */
function unlessMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof FileError && GONE.has(error.code)) return instead;
    throw error;
  };
}

const GONE: ReadonlySet<string> = new Set(["not_found", "not_a_directory", "is_a_directory", "not_regular", "too_large"]);
