/**
 * The files that one call holds open.
 *
 * A guest knows them by identifiers that name the call, so that one kept from an earlier call, or made up, leads to
 * nothing. Acts on one file happen one after the other, as its position needs.
 */

import type { GuardedFile } from "../../platform/platform.ts";

/** An open file as operations see it. */
export interface OpenFile {
  readonly file: GuardedFile;
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly append: boolean;
  /** Where the next read or write begins, in bytes. */
  position: number;
  /** Says that it was changed; the path is the host's own. */
  readonly changed: () => void;
}

export interface OpenFiles {
  /** Opens a file and keeps it until it is closed or the call ends. Undefined if the call has too many or is over. */
  add(open: () => Promise<OpenFile>): Promise<string | undefined>;
  /** Runs an act on the file after those that were begun before. Undefined if there is no such file. */
  use<T>(id: string, act: (file: OpenFile) => Promise<T>): Promise<T | undefined>;
  /** False if there is no such file. */
  closeOne(id: string): Promise<boolean>;
  /** Nothing is opened any more. */
  readonly isOver: boolean;
  /** The call is over: closes all, each after the act that is under way. Never rejects. */
  close(onError: (error: unknown) => void): Promise<void>;
}

/** Files that one call may hold open. */
export const MAX_FILES_OF_A_CALL = 16;

interface Entry {
  readonly open: OpenFile;
  /** Settles when the last act that was begun has ended; never rejects. */
  last: Promise<unknown>;
}

export function createOpenFiles(callId: string): OpenFiles {
  /** Most calls open none. */
  let entries: Map<string, Entry> | undefined;
  let lastId = 0;
  let opening = 0;
  let isOver = false;

  function keep(open: OpenFile): string {
    entries ??= new Map();
    const id = `${callId}/${++lastId}`;
    entries.set(id, { open, last: Promise.resolve() });
    return id;
  }

  function close(entry: Entry): Promise<void> {
    return entry.last.then(() => entry.open.file.close());
  }

  return {
    async add(open) {
      entries ??= new Map();
      if (isOver || entries.size + opening >= MAX_FILES_OF_A_CALL) return undefined;
      opening++;
      try {
        const made = await open();
        // The call may have ended meanwhile.
        if (!isOver) return keep(made);
        await made.file.close();
        return undefined;
      } finally {
        opening--;
      }
    },

    async use(id, act) {
      const entry = entries?.get(id);
      if (entry === undefined) return undefined;
      const mine = entry.last.then(() => act(entry.open));
      entry.last = mine.catch(() => undefined);
      return await mine;
    },

    async closeOne(id) {
      const entry = entries?.get(id);
      if (entry === undefined) return false;
      entries?.delete(id);
      await close(entry);
      return true;
    },

    get isOver() {
      return isOver;
    },

    async close(onError) {
      isOver = true;
      const open = [...(entries?.values() ?? [])];
      entries = undefined;
      await Promise.all(open.map((entry) => close(entry).catch(onError)));
    },
  };
}
