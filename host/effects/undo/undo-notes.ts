/**
 * Notes of the changes of one call so far, and of which step of its log covers which of them (SPEC E8).
 *
 * A step by file covers whatever is written into that file, by whichever name, wherever it is moved. A step by name covers
 * whatever comes and goes under that name, until something is moved: then the name may mean another file.
 */

import { hostPlace } from "../../capabilities/checked.ts";
import { FileError, type FileInfo, type GuardedFiles } from "../../platform/platform.ts";
import type { Look } from "./look-task.ts";
import type { UndoPlaces } from "./undo-places.ts";
import { fileIdOf, type UndoState } from "./undo-step.ts";
import type { UndoLog } from "./undo-store.ts";

/** Says what a change has left. */
export type Done = () => Promise<void>;

export const nothing: Done = async () => {};

/** A file that a call holds open to write. */
export interface OpenNote {
  /** Notes that the file was written to: its contents are looked at when it is closed, or before it is moved or removed. */
  changed(): void;
  /** To be called once, when it is closed. */
  readonly closed: Done;
}

/** Each keeps what is there now; what it answers is called after the change, however that ended. */
export interface UndoNotes {
  /** Before the file at a place is written into, or made. */
  keepContents(place: string): Promise<Done>;
  /** Before a name is taken away, given to something else, or made. */
  keepName(place: string): Promise<Done>;
  /** Before a name is made, which fails if it is there. */
  keepNew(place: string): Promise<Done>;
  keepRename(source: string, target: string): Promise<Done>;
  /** Only that something was changed there, so that undoing names it. */
  keepNothing(path: string, reason: string): Promise<void>;
  /** The file at a place, which was just opened to write; undefined if nothing of it is kept. */
  opened(place: string): Promise<OpenNote | undefined>;
  /** Before anything is moved or removed, too: afterwards it would be something else that is looked at. */
  sayAll(): Promise<void>;
}

export interface UndoNotesOptions {
  readonly below: Pick<GuardedFiles, "addName">;
  readonly infoOf: UndoPlaces["infoOf"];
  readonly look: (wanted: Look) => Promise<UndoState>;
  /** Begun with the first change. */
  readonly log: () => Promise<UndoLog>;
}

/** A step that was kept. */
interface Kept {
  say(after: UndoState): Promise<void>;
}

/** A step by name, with what stood there before the change, and the name that holds that file. */
interface Named {
  readonly kept: Kept;
  readonly info: FileInfo | undefined;
  readonly heldAt?: string | undefined;
}

/** The state after a rename that failed. */
const NOT_MOVED: UndoState = { kind: "unkept", reason: "it was not moved" };

/** More than a log has steps: what is forgotten then is not kept any more anyway. */
const MAX_KNOWN = 20_000;

/** In bytes. A larger file is not compared: it is left as it is. */
const MAX_HASHED = 64 * 1024 * 1024;

export function createUndoNotes({ below, infoOf, look, log }: UndoNotesOptions): UndoNotes {
  const byName = new Map<string, Kept>();
  const byFile = new Map<string, Kept>();
  /** Steps of which it is still to be said what they left, with the place to look at. */
  const unsaid = new Map<Kept, string>();
  /** Open files; one that was removed is looked at by the name that holds it, or not at all. */
  const open = new Set<{ readonly kept: Kept; place: string | undefined; isChanged: boolean }>();

  async function sayAll(): Promise<void> {
    for (const file of open) {
      if (file.isChanged && file.place !== undefined) unsaid.set(file.kept, file.place);
      file.isChanged = false;
    }
    for (const [kept, place] of unsaid) {
      unsaid.delete(kept);
      await kept.say(await look({ path: place, room: MAX_HASHED }));
    }
  }

  async function keepContents(place: string): Promise<Done> {
    const info = await infoOf(place);
    if (info === undefined) return await keepName(place);
    // No other thing can be written into.
    if (info.kind !== "file") return nothing;
    const known = byFile.get(fileIdOf(info)) ?? (await keepCopy(place));
    note(byFile, fileIdOf(info), known);
    return async () => void unsaid.set(known, place);
  }

  async function keepName(place: string): Promise<Done> {
    const named = await prepareName(place);
    const { kept, info } = named;
    return async () => {
      unsaid.set(kept, place);
      const now = await infoOf(place);
      // The change failed, or was none.
      if (now !== undefined && info !== undefined && fileIdOf(now) === fileIdOf(info)) return;
      gone(place, named);
      if (now !== undefined) note(byFile, fileIdOf(now), kept);
    };
  }

  async function prepareName(place: string): Promise<Named> {
    const info = await infoOf(place);
    const known = byName.get(place);
    if (known !== undefined && (info === undefined || byFile.get(fileIdOf(info)) === known)) return { kept: known, info };
    await sayAll();
    const named = info?.kind === "file" ? { ...(await hold(place, info)), info } : { kept: await keepLook(place), info };
    note(byName, place, named.kept);
    return named;
  }

  /** The number of a file that is gone may be given to another one. */
  function gone(place: string, { info, heldAt }: Named): void {
    if (info !== undefined && heldAt === undefined && info.links === 1) byFile.delete(fileIdOf(info));
    for (const file of open) if (file.place === place) file.place = heldAt;
  }

  async function keepLook(path: string): Promise<Kept> {
    const kept = await log();
    return toKept(await kept.keep(async (into) => ({ kind: "place", path, before: await look({ path, room: kept.room(), into }) })));
  }

  async function keepCopy(path: string): Promise<Kept> {
    const kept = await log();
    const say = await kept.keep(async (into) => {
      return { kind: "place", path, before: await look({ path, room: kept.room(), into }), inPlace: true };
    });
    return toKept(say);
  }

  async function hold(path: string, info: FileInfo): Promise<{ readonly kept: Kept; readonly heldAt: string | undefined }> {
    const kept = await log();
    let heldAt: string | undefined;
    const say = await kept.keep(async (into) => {
      const { size: bytes, device, inode, links } = info;
      if (bytes <= kept.room() && (await addName(path, into))) {
        heldAt = into;
        return { kind: "place", path, before: { kind: "held", bytes, device, inode } };
      }
      const before = await look({ path, room: kept.room(), into });
      return { kind: "place", path, before: before.kind === "file" && links > 1 ? { ...before, names: links } : before };
    });
    return { kept: toKept(say), heldAt };
  }

  /** False where the file system has one name for a file, or the folder for undoing is on another one. */
  async function addName(path: string, into: string): Promise<boolean> {
    try {
      await below.addName(hostPlace(path), hostPlace(into));
      return true;
    } catch (error) {
      if (error instanceof FileError) return false;
      throw error;
    }
  }

  async function keepRename(source: string, target: string): Promise<Done> {
    const [info, there] = [await infoOf(source), await infoOf(target)];
    // Two names of one file: the system leaves both.
    if (info === undefined || (there !== undefined && fileIdOf(there) === fileIdOf(info))) return nothing;
    const replaced = there === undefined ? undefined : await prepareName(target);
    await sayAll();
    // The replaced entry is gone before the source takes its place.
    await replaced?.kept.say({ kind: "missing" });
    const { device, inode } = info;
    const say = await (await log()).keep({ kind: "rename", path: source, to: target, device, inode });
    return async () => {
      const now = await infoOf(target);
      if (now === undefined || fileIdOf(now) !== fileIdOf(info)) {
        await say(NOT_MOVED);
        if (replaced !== undefined) unsaid.set(replaced.kept, target);
        return;
      }
      if (replaced !== undefined) gone(target, replaced);
      byName.clear();
      for (const file of open) {
        if (file.place === source || file.place?.startsWith(`${source}/`) === true) file.place = target + file.place.slice(source.length);
      }
    };
  }

  async function opened(place: string): Promise<OpenNote | undefined> {
    const info = await infoOf(place);
    const kept = info && byFile.get(fileIdOf(info));
    if (kept === undefined) return undefined;
    const file = { kept, place, isChanged: false };
    open.add(file);
    return {
      changed: () => void (file.isChanged = true),
      async closed() {
        open.delete(file);
        if (file.isChanged && file.place !== undefined) unsaid.set(kept, file.place);
      },
    };
  }

  return {
    keepContents,
    keepName,
    keepNew: async (place) => ((await infoOf(place)) === undefined ? await keepName(place) : nothing),
    keepRename,
    async keepNothing(path, reason) {
      await (await log()).keep({ kind: "place", path, before: { kind: "unkept", reason } });
    },
    opened,
    sayAll,
  };
}

function note(known: Map<string, Kept>, key: string, kept: Kept): void {
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, kept);
}

function toKept(say: Kept["say"]): Kept {
  return { say };
}
