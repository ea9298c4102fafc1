/**
 * Guarded files that keep what is there before they change it (SPEC E8). Each change waits until its before-image is on the
 * disk. Changes of one call happen one after the other; reads are as they were.
 *
 * Only a place that the call's own proof permits is looked at: a write that will be refused leaves no copy of what it was refused.
 * Where an image cannot be kept, the change happens all the same: undoing says what it cannot put back.
 */

import { hostPlace } from "../capabilities/checked.ts";
import { above, isStaged } from "../overlay/replace-file.ts";
import type { Files, GuardedFile, GuardedFiles } from "../platform/platform.ts";
import type { Look } from "./look-task.ts";
import type { UndoState } from "./undo-step.ts";
import type { UndoLog } from "./undo-store.ts";
import type { CheckedPath } from "../platform/proof.ts";
import { orUndefined } from "../platform/or-undefined.ts";

type Checked = CheckedPath<"read" | "write">;

export interface RecordUndoOptions {
  readonly below: GuardedFiles;
  readonly files: Pick<Files, "realPath" | "permitsPlace">;
  /** Says what is at a place, and keeps it. */
  readonly look: (wanted: Look) => Promise<UndoState>;
  /** Begun with the first change. */
  readonly open: () => Promise<UndoLog>;
  /** Told if images cannot be kept: from then on the call has none. */
  readonly onError: (error: unknown) => void;
  /** Entries of one recursive removal whose images are kept. */
  readonly mostRemoved?: number;
}

const MAX_REMOVED = 5_000;

/** Says what a change has left. */
type Done = () => Promise<void>;

export function recordUndo({ below, files, look, open, onError, mostRemoved = MAX_REMOVED }: RecordUndoOptions): GuardedFiles {
  let log: Promise<UndoLog> | undefined;
  let hasFailed = false;
  let last: Promise<unknown> = Promise.resolve();
  /** Places whose image is the one before the call, as long as nothing was moved. */
  const known = new Map<string, (after: UndoState) => Promise<void>>();
  /** Places that were changed, of which it is still to be said what they hold. */
  const unsaid = new Map<string, (after: UndoState) => Promise<void>>();
  let waiting = 0;

  /**
   * Keeps images, makes the change, says what it left, whatever came of it. Where other changes wait it is said after the last of
   * them: a look at a large file after each of a hundred lines that are put to its end would hold up everybody's files.
   */
  function change<T>(prepare: () => Promise<Done>, act: () => Promise<T>): Promise<T> {
    waiting++;
    const mine = last.then(async () => {
      const done = await safely(prepare);
      try {
        return await act();
      } finally {
        waiting--;
        if (done) await safely(done);
        if (waiting === 0) await safely(sayAll);
      }
    });
    last = mine.catch(() => undefined);
    return mine;
  }

  async function safely<T>(keep: () => Promise<T>): Promise<T | undefined> {
    if (hasFailed) return undefined;
    try {
      return await keep();
    } catch (error) {
      hasFailed = true;
      onError(error);
      return undefined;
    }
  }

  async function keepPlace(path: string): Promise<Done> {
    const before = known.get(path);
    const after = before ?? (await keepImage(path));
    known.set(path, after);
    return async () => void unsaid.set(path, after);
  }

  /** Before anything is moved, too: afterwards it would be something else that is looked at. */
  async function sayAll(): Promise<void> {
    for (const [path, after] of unsaid) {
      unsaid.delete(path);
      await after(await look({ path, room: MAX_HASHED }));
    }
  }

  /** Only that something was changed there, so that undoing does not keep silent about it. */
  async function keepNothing(path: string, reason: string): Promise<void> {
    const kept = await (log ??= open());
    await kept.keep({ kind: "place", path, before: { kind: "unkept", reason } });
  }

  async function keepImage(path: string): Promise<(after: UndoState) => Promise<void>> {
    const kept = await (log ??= open());
    return await kept.keep(async (into) => ({ kind: "place", path, before: await look({ path, room: kept.room(), into }) }));
  }

  /** Where a change really happens. Undefined: nowhere, or where the grant does not allow it, so that there is nothing to keep. */
  async function placeOf(checked: Checked, follow: boolean): Promise<string | undefined> {
    const { path } = checked;
    const real = follow ? await orUndefined(files.realPath(path)) : undefined;
    const folder = real === undefined ? await orUndefined(files.realPath(above(path))) : undefined;
    const place = real ?? (folder && join(folder, path.slice(path.lastIndexOf("/") + 1)));
    if (place === undefined || !(await files.permitsPlace(checked, place))) return undefined;
    return !follow && checked.isRoot?.(place) === true && (await isNoFile(place)) ? undefined : place;
  }

  /** The granted folder itself is not removed, moved or replaced. */
  async function isNoFile(place: string): Promise<boolean> {
    const info = await orUndefined(below.lstat(hostPlace(place)));
    return info !== undefined && info.kind !== "file";
  }

  async function keepAt(checked: Checked, follow: boolean): Promise<Done> {
    const place = await placeOf(checked, follow);
    return place === undefined ? nothing : await keepPlace(place);
  }

  /** The folders that are not there yet, from above. */
  async function keepFolders(checked: Checked): Promise<Done> {
    const missing: string[] = [];
    let at = checked.path;
    for (; at !== "/" && (await orUndefined(files.realPath(at))) === undefined; at = above(at)) missing.unshift(at.slice(above(at).length));
    let place = (await orUndefined(files.realPath(at))) ?? at;
    const all: Done[] = [];
    for (const name of missing) {
      place = join(place, name.replace(/^\//, ""));
      if (!(await files.permitsPlace(checked, place))) break;
      all.push(await keepPlace(place));
    }
    return async () => {
      for (const done of all) await done();
    };
  }

  /** What is below first, so that putting back begins with the folders. */
  async function keepTree(checked: Checked, path: string): Promise<Done> {
    const all: Done[] = [];
    let cut: string | undefined;
    const open: { readonly path: string; readonly isListed: boolean }[] = [{ path, isListed: false }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!(await files.permitsPlace(checked, next.path))) continue;
      // Folders that were listed come still, so that what is kept of them can be put back.
      if (all.length >= mostRemoved && !next.isListed) {
        cut ??= next.path;
        continue;
      }
      const info = await orUndefined(below.lstat(hostPlace(next.path)));
      if (info?.kind !== "directory" || next.isListed) {
        all.push(await keepPlace(next.path));
        continue;
      }
      const entries = await orUndefined(below.list(hostPlace(next.path), { maxEntries: mostRemoved }));
      if (entries === undefined) {
        await keepNothing(next.path, `it held more than ${mostRemoved} entries, or could not be listed`);
        continue;
      }
      open.push({ path: next.path, isListed: true });
      for (const { name } of entries) open.push({ path: join(next.path, name), isListed: false });
    }
    if (cut !== undefined) await keepNothing(cut, `more than ${mostRemoved} entries were removed with it, and no others are kept`);
    return async () => {
      for (const done of all) await done();
      await sayAll();
      known.clear();
    };
  }

  async function keepRename(from: Checked, to: Checked): Promise<Done> {
    const [source, target] = [await placeOf(from, false), await placeOf(to, false)];
    if (source === undefined || target === undefined || source === target) return nothing;
    const info = await orUndefined(below.lstat(hostPlace(source)));
    if (info === undefined) return nothing;
    await sayAll();
    // What is replaced is gone before something takes its place.
    if ((await orUndefined(below.lstat(hostPlace(target)))) !== undefined) await (await keepImage(target))({ kind: "missing" });
    const kept = await (log ??= open());
    const { device, inode } = info;
    await kept.keep({ kind: "rename", path: source, to: target, device, inode });
    return async () => known.clear();
  }

  return {
    ...below,
    writeBytes: (path, data, options) =>
      change(
        async () => (isStaged(path) ? nothing : await keepAt(path, options.createNew !== true)),
        () => below.writeBytes(path, data, options),
      ),
    makeDirectory: (path, options) =>
      change(
        () => keepFolders(path),
        () => below.makeDirectory(path, options),
      ),
    remove: (path, options) =>
      change(
        async () => {
          const place = isStaged(path) ? undefined : await placeOf(path, false);
          if (place === undefined) return nothing;
          return await (options.recursive ? keepTree(path, place) : keepPlace(place));
        },
        () => below.remove(path, options),
      ),
    rename: (from, to) =>
      change(
        // What was written beside its place is a write of the place.
        async () => await (isStaged(from) ? keepAt(to, false) : keepRename(from, to)),
        () => below.rename(from, to),
      ),
    copy: (from, to, options) =>
      change(
        () => keepAt(to, true),
        () => below.copy(from, to, options),
      ),
    truncate: (path, length) =>
      change(
        () => keepAt(path, true),
        () => below.truncate(path, length),
      ),
    openToWrite: async (path, options) => {
      if (isStaged(path)) return await below.openToWrite(path, options);
      let done: Done | undefined;
      const prepare = async (): Promise<Done> => {
        done = await keepAt(path, !options.createNew);
        return done;
      };
      const file = await change(prepare, () => below.openToWrite(path, options));
      return done === undefined ? file : closing(file, done);
    },
  };

  /** What it holds when it is closed is what the call wrote. */
  function closing(file: GuardedFile, done: Done): GuardedFile {
    return {
      ...file,
      close: () =>
        change(
          async () => done,
          () => file.close(),
        ),
    };
  }
}

/** What is larger is not compared: it is left as it is. */
const MAX_HASHED = 64 * 1024 * 1024;

const nothing: Done = async () => {};

function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}
