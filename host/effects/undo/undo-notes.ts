/**
 * Tracks the changes of one running call, and which step of its log covers which of them (SPEC E8).
 *
 * A step by file covers every write into that file, by any name and after any move. A step by name covers every change of that name, until
 * something is moved: then the name may refer to another file.
 */

import { movedPath } from "../../../manifests/mod.ts";
import { hostPlace } from "../../capabilities/checked.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import type { FileInfo, GuardedFiles } from "../../platform/platform.ts";
import type { Look } from "./look-task.ts";
import type { UndoPlaces } from "./undo-places.ts";
import { fileIdOf, type UndoState } from "./undo-step.ts";
import type { UndoLog } from "./undo-store.ts";

/** Records the state after a change. */
export type Done = () => Promise<void>;

export const nothing: Done = async () => {};

/** A file that a call holds open for writing. */
export interface OpenNote {
  /** Notes a write: the contents are looked at when the file is closed, or before it is moved or removed. */
  changed(): void;
  /** Called once, when the file is closed. */
  readonly closed: Done;
}

/** Keeps the present state. The returned function is called after the change, even if it failed. */
interface UndoNotes {
  /** Called before the file at a path is written or created. */
  keepContents(place: string): Promise<Done>;
  /** Called before a name is removed, replaced or created. */
  keepName(place: string): Promise<Done>;
  /** Called before a name is created exclusively. */
  keepNew(place: string): Promise<Done>;
  keepRename(source: string, target: string): Promise<Done>;
  /** Records only that something was changed there, so that an undo lists it. */
  keepNothing(path: string, reason: string): Promise<void>;
  /** Tracks the file at a path, which was just opened for writing. Returns undefined if nothing of it is kept. */
  opened(place: string): Promise<OpenNote | undefined>;
  /** Records all states that are due. Called before anything is moved or removed too, because the path then leads to something else. */
  sayAll(): Promise<void>;
}

interface UndoNotesOptions {
  readonly below: Pick<GuardedFiles, "addName">;
  readonly infoOf: UndoPlaces["infoOf"];
  readonly look: (wanted: Look) => Promise<UndoState>;
  /** Opens the log, at the first change. */
  readonly log: () => Promise<UndoLog>;
}

/** A step in the log. */
interface Kept {
  say(after: UndoState): Promise<void>;
}

/** A step by name, with the entry before the change, and the name that holds the file. */
interface Named {
  readonly kept: Kept;
  readonly info: FileInfo | undefined;
  readonly heldAt?: string | undefined;
}

/** State after a rename that failed. */
const NOT_MOVED: UndoState = { kind: "unkept", reason: "it was not moved" };

/** More than the steps of a log: changes that are forgotten then are not kept anyway. */
const MAX_KNOWN = 20_000;

/** Maximum size in bytes of a file that is compared. An undo leaves a larger file as it is. */
const MAX_HASHED = 64 * 1024 * 1024;

export function createUndoNotes({ below, infoOf, look, log }: UndoNotesOptions): UndoNotes {
  const byName = new Map<string, Kept>();
  const byFile = new Map<string, Kept>();
  /** Steps whose state after the change is still to be recorded, with the path to look at. */
  const unsaid = new Map<Kept, string>();
  /** Open files. A removed file is looked at by the name that holds it, if any. */
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
    // Only regular files can be written into.
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
      // The change failed, or had no effect.
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

  /** Forgets a removed file, because the file system may reuse its inode. */
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

  /** Returns false if the file system does not support hard links, or the undo folder is on another file system. */
  async function addName(path: string, into: string): Promise<boolean> {
    return (await orUndefined(below.addName(hostPlace(path), hostPlace(into)).then(() => true))) ?? false;
  }

  async function keepRename(source: string, target: string): Promise<Done> {
    const [info, there] = [await infoOf(source), await infoOf(target)];
    // Both names are links to one file: rename leaves both.
    if (info === undefined || (there !== undefined && fileIdOf(there) === fileIdOf(info))) return nothing;
    const replaced = there === undefined ? undefined : await prepareName(target);
    await sayAll();
    // The replaced entry disappears before the source takes its place.
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
        if (file.place !== undefined) file.place = movedPath(file.place, source, target) ?? file.place;
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
