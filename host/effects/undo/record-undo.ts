/**
 * Guarded files that keep what is there before they change it (SPEC E8). Each change waits until its before-image is on the
 * disk. Changes of one call happen one after the other; reads are as they were.
 *
 * Contents are kept per file, whatever names it has: a copy, before the call first writes into it. A name that is taken away is kept
 * by a further name of the same file (`held`), or by a copy where the file system has none.
 *
 * Only a place that the call's own proof permits is looked at: a write that will be refused leaves no copy of what it was refused.
 * Where an image cannot be kept, the change happens all the same: undoing says what it cannot put back.
 */

import { hostPlace } from "../../capabilities/checked.ts";
import { isStaged } from "../overlay/replace-file.ts";
import type { Files, GuardedFile, GuardedFiles } from "../../platform/platform.ts";
import type { CheckedPath } from "../../platform/proof.ts";
import type { Look } from "./look-task.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import { createUndoNotes, type Done, nothing, type OpenNote } from "./undo-notes.ts";
import { createUndoPlaces, join } from "./undo-places.ts";
import { MAX_PATH, type UndoState } from "./undo-step.ts";
import type { UndoLog } from "./undo-store.ts";

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

export function recordUndo({ below, files, look, open, onError, mostRemoved = MAX_REMOVED }: RecordUndoOptions): GuardedFiles {
  let log: Promise<UndoLog> | undefined;
  let hasFailed = false;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const places = createUndoPlaces(below, files);
  const notes = createUndoNotes({ below, infoOf: places.infoOf, look, log: () => (log ??= open()) });

  /**
   * Keeps images, makes the change, says what it left, whatever came of it. Where other changes wait it is said after the last of
   * them: a look at a large file after each of a hundred lines that are put to its end would hold up the files of all calls.
   */
  function change<T>(at: Checked, prepare: () => Promise<Done>, act: () => Promise<T>): Promise<T> {
    waiting++;
    const mine = last.then(async () => {
      const done = await safely(at, prepare);
      try {
        return await act();
      } finally {
        waiting--;
        if (done) await safely(at, done);
        if (waiting === 0) await safely(at, notes.sayAll);
      }
    });
    last = mine.catch(() => undefined);
    return mine;
  }

  async function safely<T>({ path }: Checked, keep: () => Promise<T>): Promise<T | undefined> {
    if (hasFailed) return undefined;
    try {
      return await keep();
    } catch (error) {
      hasFailed = true;
      onError(error);
      await notes.keepNothing(path, NOT_KEPT).catch(onError);
      return undefined;
    }
  }

  /** @param keep is given the place that the change reaches. */
  async function keepAt(checked: Checked, follow: boolean, keep: (place: string) => Promise<Done>): Promise<Done> {
    const place = await places.placeOf(checked, follow);
    return place === undefined ? nothing : await keep(place);
  }

  async function keepFolders(checked: Checked): Promise<Done> {
    const all: Done[] = [];
    for (const place of await places.missingFolders(checked)) all.push(await notes.keepName(place));
    return inOrder(all);
  }

  /** What is below first, so that putting back begins with the folders. */
  async function keepTree(checked: Checked, path: string): Promise<Done> {
    const all: Done[] = [];
    let cut: string | undefined;
    let isTooDeep = false;
    const open: { readonly path: string; readonly isListed: boolean }[] = [{ path, isListed: false }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!(await files.permitsPlace(checked, next.path))) continue;
      if (next.path.length > MAX_PATH) {
        isTooDeep = true;
        continue;
      }
      // Folders that were listed come still, so that what is kept of them can be put back.
      if (all.length >= mostRemoved && !next.isListed) {
        cut ??= next.path;
        continue;
      }
      const info = await places.infoOf(next.path);
      if (info?.kind !== "directory" || next.isListed) {
        all.push(await notes.keepName(next.path));
        continue;
      }
      const entries = await orUndefined(below.list(hostPlace(next.path), { maxEntries: mostRemoved }));
      if (entries === undefined) {
        await notes.keepNothing(next.path, `it held more than ${mostRemoved} entries, or could not be listed`);
        continue;
      }
      open.push({ path: next.path, isListed: true });
      for (const { name } of entries) open.push({ path: join(next.path, name), isListed: false });
    }
    if (isTooDeep) await notes.keepNothing(path, `paths below it are longer than ${MAX_PATH} characters, and nothing is kept of those`);
    if (cut !== undefined) await notes.keepNothing(cut, `more than ${mostRemoved} entries were removed with it, and no others are kept`);
    return inOrder([...all, notes.sayAll]);
  }

  async function keepRename(from: Checked, to: Checked): Promise<Done> {
    const [source, target] = [await places.placeOf(from, false), await places.placeOf(to, false)];
    return source === undefined || target === undefined ? nothing : await notes.keepRename(source, target);
  }

  /** A write that only makes a file follows no link. */
  function keepWrite(path: Checked, createNew: boolean | undefined): Promise<Done> {
    return createNew === true ? keepAt(path, false, notes.keepNew) : keepAt(path, true, notes.keepContents);
  }

  return {
    ...below,
    writeBytes: (path, data, options) =>
      change(
        path,
        async () => (isStaged(path) ? nothing : await keepWrite(path, options.createNew)),
        () => below.writeBytes(path, data, options),
      ),
    makeDirectory: (path, options) =>
      change(
        path,
        () => keepFolders(path),
        () => below.makeDirectory(path, options),
      ),
    remove: (path, options) =>
      change(
        path,
        async () => {
          if (isStaged(path)) return nothing;
          return await keepAt(path, false, (place) => (options.recursive ? keepTree(path, place) : notes.keepName(place)));
        },
        () => below.remove(path, options),
      ),
    rename: (from, to) =>
      change(
        to,
        // A staged file was written beside its place, and takes that place now.
        async () => await (isStaged(from) ? keepAt(to, false, notes.keepName) : keepRename(from, to)),
        () => below.rename(from, to),
      ),
    copy: (from, to, options) =>
      change(
        to,
        () => keepWrite(to, false),
        () => below.copy(from, to, options),
      ),
    truncate: (path, length) =>
      change(
        path,
        () => keepWrite(path, false),
        () => below.truncate(path, length),
      ),
    openToWrite: async (path, options) => {
      if (isStaged(path)) return await below.openToWrite(path, options);
      let opened: OpenNote | undefined;
      let isOpen = false;
      const file = await change(
        path,
        async () => {
          const place = await places.placeOf(path, !options.createNew);
          const done = await keepWrite(path, options.createNew);
          return async () => {
            await done();
            if (isOpen && place !== undefined) opened = await notes.opened(place);
          };
        },
        async () => {
          const made = await below.openToWrite(path, options);
          isOpen = true;
          return made;
        },
      );
      return opened === undefined ? file : noting(file, path, opened);
    },
  };

  /** A file whose writes are noted: what it holds when it is closed is what the call wrote. */
  function noting(file: GuardedFile, path: Checked, { changed, closed }: OpenNote): GuardedFile {
    const noted = (act: Promise<void>): Promise<void> => act.finally(changed);
    return {
      ...file,
      write: (data, position) => noted(file.write(data, position)),
      truncate: (length) => noted(file.truncate(length)),
      setTimes: (accessedMs, modifiedMs) => noted(file.setTimes(accessedMs, modifiedMs)),
      close: () =>
        change(
          path,
          async () => closed,
          () => file.close(),
        ),
    };
  }
}

const NOT_KEPT = "what was there could not be kept, and nothing is kept of this and of what the call changed after it";

function inOrder(all: readonly Done[]): Done {
  return async () => {
    for (const done of all) await done();
  };
}
