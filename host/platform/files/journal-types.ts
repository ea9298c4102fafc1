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
   *
   * @param keep how many rows stay, the newest; default all
   * @throws {JournalError} also if the path no longer names this file: what is written to a removed file is lost
   */
  append(make: (last: JournalRow | undefined) => readonly JournalRow[], keep?: number): void;
  last(): JournalRow | undefined;
  /** At most `limit` rows with numbers above `after`, ascending: a damaged file that answers in another order throws. */
  rows(after: number, limit: number): readonly JournalRow[];
  /** At most `limit` rows with numbers below `before`, descending: a damaged file that answers in another order throws. */
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

/** DER in hexadecimal: PKCS#8 and SPKI. */
export interface JournalKey {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** Opens journal files (SQLite on Node and Deno). */
export interface Journals {
  /** Made with mode 0600 if it is not there, unless it is only read. @throws {JournalError} */
  open(path: string, mode: "append" | "read"): JournalFile;
  /** SHA-256 in hexadecimal over the seal before (empty for the first row), the number and the text. */
  seal(previous: string, number: number, text: string): string;
  /** A new Ed25519 key. */
  newKey(): JournalKey;
  /** @returns the signature of a text, in hexadecimal */
  sign(key: JournalKey, text: string): string;
  /** @param publicKey of a `JournalKey`; false for whatever is no key or no signature */
  isSigned(publicKey: string, text: string, signature: string): boolean;
}
