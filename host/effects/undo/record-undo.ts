/**
 * Guarded files that keep a before-image of each change (SPEC E8). Each change waits until its image is on the disk. The changes of one
 * call happen one after the other; reads are unchanged.
 *
 * Contents are kept per file, whatever names it has: a copy is made before the call first writes into the file. A name that is removed is
 * kept by another hard link to the file (`held`), or by a copy if the file system cannot link.
 *
 * Only paths that the call's own proof permits are looked at, so a refused write leaves no copy. If an image cannot be kept, the change
 * happens nevertheless, and undo reports what it cannot put back.
 */

import { hostPlace } from "../../capabilities/checked.ts";
import { createMutex } from "../../platform/mutex.ts";
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

interface RecordUndoOptions {
  readonly below: GuardedFiles;
  readonly files: Pick<Files, "realPath" | "permitsPlace">;
  /** Returns the state of a path, and keeps its contents. */
  readonly look: (wanted: Look) => Promise<UndoState>;
  /** Opens the log, at the first change. */
  readonly open: () => Promise<UndoLog>;
  /** Called if images cannot be kept: from then on the call has none. */
  readonly onError: (error: unknown) => void;
  /** Maximum number of entries of one recursive removal whose images are kept. */
  readonly mostRemoved?: number;
}

const MAX_REMOVED = 5_000;

export function recordUndo({ below, files, look, open, onError, mostRemoved = MAX_REMOVED }: RecordUndoOptions): GuardedFiles {
  let log: Promise<UndoLog> | undefined;
  let hasFailed = false;
  const inTurn = createMutex();
  let waiting = 0;
  const places = createUndoPlaces(below, files);
  const notes = createUndoNotes({ below, infoOf: places.infoOf, look, log: () => (log ??= open()) });

  /**
   * Keeps images, makes the change, then records the state after it, even if the change failed. While other changes wait, the state is
   * recorded after the last of them: a look at a large file after each of a hundred appended lines would delay the files of all calls.
   */
  function change<T>(at: Checked, prepare: () => Promise<Done>, act: () => Promise<T>): Promise<T> {
    waiting++;
    return inTurn(async () => {
      const done = await safely(at, prepare);
      try {
        return await act();
      } finally {
        waiting--;
        if (done) await safely(at, done);
        if (waiting === 0) await safely(at, notes.sayAll);
      }
    });
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

  /** @param keep receives the resolved path of the change */
  async function keepAt(checked: Checked, follow: boolean, keep: (place: string) => Promise<Done>): Promise<Done> {
    const place = await places.placeOf(checked, follow);
    return place === undefined ? nothing : await keep(place);
  }

  async function keepFolders(checked: Checked): Promise<Done> {
    const all: Done[] = [];
    for (const place of await places.missingFolders(checked)) all.push(await notes.keepName(place));
    return inOrder(all);
  }

  /** Keeps entries before their folder, so that an undo starts with the folders. */
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
      // Listed folders are still kept beyond the maximum, so that their kept entries can be put back.
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
    if (isTooDeep) await notes.keepNothing(path, `paths below it are longer than ${MAX_PATH} characters and are not kept`);
    if (cut !== undefined)
      await notes.keepNothing(cut, `it was removed with more than ${mostRemoved} entries, and the others are not kept`);
    return inOrder([...all, notes.sayAll]);
  }

  async function keepRename(from: Checked, to: Checked): Promise<Done> {
    const [source, target] = [await places.placeOf(from, false), await places.placeOf(to, false)];
    return source === undefined || target === undefined ? nothing : await notes.keepRename(source, target);
  }

  /** A write that may only create a file does not follow links. */
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
        // A staged file lies beside its target, and replaces the target now.
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

  /** Wraps a file so that its writes are noted: its contents when it is closed are what the call wrote. */
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

const NOT_KEPT = "its contents could not be kept, nor anything that the call changed afterwards";

function inOrder(all: readonly Done[]): Done {
  return async () => {
    for (const done of all) await done();
  };
}
