/** Journals: numbered texts that can only be added, each sealed together with all before it. */

/** One line of a journal. */
export interface JournalRow {
  /** From 1, without gaps. */
  readonly number: number;
  /** `seal` of the row before, of this number and this text. */
  readonly seal: string;
  readonly text: string;
}

/** One journal file. Failures throw `JournalError`. */
export interface JournalFile {
  /**
   * Adds what `make` answers after the last row there is, in one transaction: two processes that add at once take turns.
   * When it returns, the rows survive the end of this process.
   */
  append(make: (last: JournalRow | undefined) => readonly JournalRow[]): void;
  last(): JournalRow | undefined;
  /** At most `limit` rows with numbers above `after`, in order. */
  rows(after: number, limit: number): readonly JournalRow[];
  /** At most `limit` rows with numbers below `before`, the highest first. */
  rowsBefore(before: number, limit: number): readonly JournalRow[];
  /** The highest number ever given, also if its row is gone; 0 for none. */
  highest(): number;
  /** What is wrong with the file itself, if anything. */
  damage(): string | undefined;
  close(): void;
}

/** A journal file could not be opened, read or written; it may be busy for a moment. */
export class JournalError extends Error {
  override readonly name = "JournalError";
  readonly busy: boolean;
  constructor(message: string, busy: boolean) {
    super(message);
    this.busy = busy;
  }
}

/** Opens journal files (SQLite on Node and Deno). */
export interface Journals {
  /** Made with mode 0600 if it is not there, unless it is only read. @throws {JournalError} */
  open(path: string, mode: "append" | "read"): JournalFile;
  /** SHA-256 in hexadecimal over the seal before (empty for the first row), the number and the text. */
  seal(previous: string, number: number, text: string): string;
}
