/**
 * The files that one call holds open.
 *
 * Their identifiers contain the call id, so an identifier of an earlier call, or an invented one, is not found. Acts on one file run one
 * after the other, because they share its position.
 */

import type { GuardedFile } from "../../platform/platform.ts";

/** An open file, for operations. */
export interface OpenFile {
  readonly file: GuardedFile;
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly append: boolean;
  /** Byte offset of the next read or write. */
  position: number;
  /** Reports that the file was changed, by the host's path. */
  readonly changed: () => void;
}

export interface OpenFiles {
  /** Opens a file and keeps it until it is closed or the call ends. Returns undefined if the call has too many files or is over. */
  add(open: () => Promise<OpenFile>): Promise<string | undefined>;
  /** Runs an act on the file after the earlier ones. Returns undefined if the file is not found. */
  use<T>(id: string, act: (file: OpenFile) => Promise<T>): Promise<T | undefined>;
  /** Returns false if the file is not found. */
  closeOne(id: string): Promise<boolean>;
  /** True if a file is open, or is being opened. */
  readonly isAny: boolean;
  /** True once no file can be opened any more. */
  readonly isOver: boolean;
  /** Ends the call: closes each file after its running act. Never rejects. */
  close(onError: (error: unknown) => void): Promise<void>;
}

/** Maximum open files of one call. */
export const MAX_FILES_OF_A_CALL = 16;

interface Entry {
  readonly open: OpenFile;
  /** Settles when the last act has ended; never rejects. */
  last: Promise<unknown>;
}

export function createOpenFiles(callId: string): OpenFiles {
  /** Created on demand, because most calls open no file. */
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

    get isAny() {
      return opening > 0 || (entries?.size ?? 0) > 0;
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
