/**
 * Stores before-images in `.bascule/undo/`, one folder for each call, which no tool may read or write (SPEC E8).
 *
 * Each step is a file, written and synced before the change; the state after the change is a second file. So if the host is killed, its
 * changes can still be undone, and unknown states are reported as such. Names hold times and sizes, so that making room opens no file.
 */

import { hostPlace } from "../../capabilities/checked.ts";
import { createMutex } from "../../platform/mutex.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import type { Platform } from "../../platform/platform.ts";
import { isJsonArray, type JsonValue } from "../../../manifests/mod.ts";
import { fateOfMark, markIn, markOf } from "../../project/file-turn.ts";
import type { Hasher } from "../../primitives/json/json-bytes.ts";
import { compareText, toFileName } from "../../primitives/digest.ts";
import { readState, readStep, type UndoCall, type UndoState, type UndoStep } from "./undo-step.ts";
import { namesIn, readCallOf, readContents, readJson } from "./undo-reads.ts";

/** Bounds of the store. */
export interface UndoBounds {
  /** Total of all calls. Calls that keep large files at the same time may exceed it by those. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** Whether the call of a folder may still change files, because it runs or is being undone. `gone`: its host was terminated meanwhile. */
type CallFate = "ended" | "running" | "gone" | "unknown";

/** One call and its kept steps. */
interface KeptCall {
  readonly call: UndoCall;
  /** In the order of the changes. */
  readonly steps: readonly KeptStep[];
}

/** A step in the store. */
export interface KeptStep {
  readonly step: UndoStep;
  /** State after the change; absent if the call was terminated before it was recorded. */
  readonly after: UndoState | undefined;
  /**
   * Reads the contents before the change.
   * @returns undefined if they are missing, or do not match the step
   */
  contents(): Promise<Uint8Array | undefined>;
  /** Real path of the hard link, if the file is held. */
  readonly heldAt: string;
}

/** The steps of one running call. */
export interface UndoLog {
  /**
   * Stores a step, or the step that the function returns after it wrote the image to the given path.
   * @returns a function that records the state after the change
   */
  keep(step: UndoStep | ((into: string) => Promise<UndoStep>)): Promise<(after: UndoState) => Promise<void>>;
  /** Returns the maximum size in bytes of one more image. */
  room(): number;
  /** Reopens the log after `end`, because the call continues. */
  begin(): Promise<void>;
  /** Closes the log: the call changes nothing any more, so it can be undone. */
  end(): Promise<void>;
}

export interface UndoStore {
  /** Creates a call's folder. If room is needed, the oldest calls of the plugin that holds most are removed. */
  open(call: UndoCall, plugin?: string): Promise<UndoLog>;
  /** Newest first. */
  list(): Promise<readonly UndoCall[]>;
  /** Returns undefined if nothing is kept of that call. */
  read(callId: string): Promise<KeptCall | undefined>;
  /**
   * Runs `work` while no other process undoes the call.
   *
   * @returns why `work` did not run: the call runs or is being undone (`running`), may do so (`unknown`), or is not kept (`none`)
   */
  alone<T>(
    callId: string,
    force: boolean,
    work: (fate: CallFate) => Promise<T>,
  ): Promise<{ readonly done: T } | "running" | "unknown" | "none">;
  forget(callId: string): Promise<void>;
  /** Returns the entries that an undo created again: new identity by old. Steps of earlier calls refer to the old ones. */
  renewed(): Promise<Map<string, string>>;
  /** Stores the latest ones; older ones are dropped. */
  keepRenewed(renewed: ReadonlyMap<string, string>): Promise<void>;
}

const OWNER_ONLY = 0o600;
/** Held files keep their own permissions, so only the owner may open the folder. */
const OWNERS_FOLDER = 0o700;
/** This file exists while the call runs or is being undone, and names the process. */
const RUNNING = "running";
const RENEWED = "renewed.json";
/** Some 50 bytes each. */
const MAX_RENEWED = 1_000;
const MAX_CALLS = 500;
/** Maximum steps of one call; one more records that there were others. */
const MAX_STEPS = 10_000;
/** Time, call and plugin; the plugin is absent for the host's own tools. */
const FOLDER = /^(\d{1,16})\.([0-9a-z-]{1,80})(?:\.([0-9a-z_-]{1,63}))?$/;
const STEP = /^(\d{5})\.(\d{1,12})\.step$/;

interface Folder {
  readonly name: string;
  readonly ms: number;
  readonly key: string;
  /** Plugin name, or "" for the host's own tools. */
  readonly owner: string;
}

/** A folder and the size of its images. */
interface Held {
  readonly folder: Folder;
  readonly bytes: number;
}

type UndoStorePlatform = Pick<Platform, "files" | "guarded" | "random" | "environment"> & Hasher;

/**
 * @param state the project's `.bascule` folder
 * @param bounds read for each call that changes something
 * @param most maximum steps of one call
 */
export function createUndoStore(platform: UndoStorePlatform, state: string, bounds: () => UndoBounds, most: number = MAX_STEPS): UndoStore {
  const { files } = platform;
  const root = `${state}/undo`;
  const inTurn = createMutex();
  /** Bytes by owner: as last counted on the disk, and kept since. */
  let held = new Map<string, number>();
  let spent = new Map<string, number>();
  const tooMany = `the call changed more than ${most} entries; this one and the later ones are not kept`;

  async function folders(): Promise<readonly Folder[]> {
    const entries = await namesIn(files, root);
    const found = entries.flatMap((name) => {
      const [, ms = "", key = "", owner = ""] = FOLDER.exec(name) ?? [];
      return key === "" ? [] : [{ name, ms: Number(ms), key, owner }];
    });
    return found.toSorted((left, right) => left.ms - right.ms || compareText(left.key, right.key));
  }

  /**
   * Frees half of the folder: removes the oldest call of the owner that holds most, repeatedly. So no plugin can push out another's images.
   */
  async function makeRoom(nowMs: number): Promise<void> {
    spent = new Map();
    const { maxBytes, maxAgeMs } = bounds();
    let kept: readonly Held[] = await Promise.all(
      (await folders()).map(async (folder) => ({ folder, bytes: sizeOf(await namesIn(files, `${root}/${folder.name}`)) })),
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
    // Images kept while the folders were read may be in the count already: counting twice is safer than not at all.
    for (const [owner, bytes] of spent) held.set(owner, (held.get(owner) ?? 0) + bytes);
  }

  /** Makes room while calls run, if another owner holds more. Mostly there is nothing to do. */
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

  async function fateIn(folder: string): Promise<CallFate> {
    const mark = await markIn(files, `${folder}/${RUNNING}`);
    const fate = mark === undefined ? "ended" : fateOfMark(platform, mark);
    return fate === "alive" ? "running" : fate;
  }

  async function find(callId: string): Promise<string | undefined> {
    const key = await toFileName(callId);
    return (await folders()).findLast((folder) => folder.key === key)?.name;
  }

  return {
    async open(call, owner = "") {
      await inTurn(() => makeRoom(call.atMs));
      await files.makeDirectory(root);
      const folder = `${await files.realPath(root)}/${call.atMs}.${await toFileName(call.callId)}${owner && `.${owner}`}`;
      await platform.guarded.makeDirectory(hostPlace(folder), { recursive: true, mode: OWNERS_FOLDER });
      const running = `${folder}/${RUNNING}`;
      const begin = (): Promise<void> => files.writeAtomic(running, markOf(platform), OWNER_ONLY);
      await begin();
      await files.writeAtomic(`${folder}/call.json`, JSON.stringify(call), OWNER_ONLY);
      let steps = 0;
      /** Sizes of held files, by step number. */
      const sizes = new Map<string, number>();
      /** A call can write into a held file through a handle or another name. The growth counts too; without room, the image is removed. */
      const countAgain = async (number: string, size: number): Promise<void> => {
        const before = `${folder}/${number}.before`;
        const info = await orUndefined(platform.guarded.lstat(hostPlace(before)));
        if (info === undefined || info.size <= size) return;
        if (info.size - size > left()) return await files.remove(before);
        count(owner, info.size - size);
        sizes.set(number, info.size);
        const [from, to] = [size, info.size].map((bytes) => hostPlace<"write">(`${folder}/${number}.${bytes}.step`));
        if (from !== undefined && to !== undefined) await platform.guarded.rename(from, to);
      };
      return {
        begin,
        async end() {
          for (const [number, size] of sizes) await countAgain(number, size);
          await files.remove(running);
        },
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
          const size = step.kind === "place" && (step.before.kind === "file" || step.before.kind === "held") ? step.before.bytes : 0;
          count(owner, size);
          if (step.kind === "place" && step.before.kind === "held") sizes.set(number, size);
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
      if (name === undefined) return undefined;
      const folder = `${await files.realPath(root)}/${name}`;
      const call = await readCallOf(files, folder);
      if (call?.callId !== callId) return undefined;
      const steps: KeptStep[] = [];
      for (const entry of (await namesIn(files, folder)).toSorted(compareText)) {
        const [, number = ""] = STEP.exec(entry) ?? [];
        const step = number === "" ? undefined : readStep((await readJson(files, `${folder}/${entry}`)) ?? null);
        if (step === undefined) continue;
        const after = readState((await readJson(files, `${folder}/${number}.after`)) ?? null);
        const heldAt = `${folder}/${number}.before`;
        steps.push({ step, after, contents: () => readContents(platform, heldAt, step), heldAt });
      }
      return { call, steps };
    },

    async alone(callId, force, work) {
      const name = await find(callId);
      if (name === undefined) return "none";
      const running = `${root}/${name}/${RUNNING}`;
      const mark = markOf(platform);
      const fate = await fateIn(`${root}/${name}`);
      if (fate === "running" || (fate === "unknown" && !force)) return fate;
      if (fate !== "ended") await files.remove(running);
      if (!(await files.createNew(running, mark))) return "running";
      try {
        return { done: await work(fate) };
      } finally {
        if ((await markIn(files, running)) === mark) await files.remove(running);
      }
    },

    async renewed() {
      const pairs = await readJson(files, `${root}/${RENEWED}`);
      return new Map(isJsonArray(pairs) ? pairs.flatMap(toPair) : []);
    },

    keepRenewed: (renewed) => files.writeAtomic(`${root}/${RENEWED}`, JSON.stringify([...renewed].slice(-MAX_RENEWED)), OWNER_ONLY),

    async forget(callId) {
      const name = await find(callId);
      if (name !== undefined) await files.remove(`${root}/${name}`);
    },
  };
}

function toPair(value: JsonValue): readonly (readonly [string, string])[] {
  if (!isJsonArray(value)) return [];
  const [was, is] = value;
  return typeof was === "string" && typeof is === "string" ? [[was, is]] : [];
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

/** @param kept oldest first; not empty */
function oldestOfLargest(kept: readonly Held[], measure: (one: Held) => number): Held | undefined {
  const [largest] = [...byOwner(kept, measure)].toSorted(([, left], [, right]) => right - left)[0] ?? [];
  return kept.find(({ folder }) => folder.owner === largest);
}

function sizeOf(entries: readonly string[]): number {
  return entries.reduce((sum, name) => sum + Number(STEP.exec(name)?.[2] ?? 0), 0);
}
