/** Journals: append-only numbered texts, each sealed together with all earlier ones. */

/** One row of a journal. */
export interface JournalRow {
  /** Row number, from 1, without gaps. */
  readonly number: number;
  /** Seal over the previous row's `seal`, this number and this text. */
  readonly seal: string;
  readonly text: string;
}

/** One journal file. Failures throw `JournalError`. */
export interface JournalFile {
  /**
   * Appends the rows that `make` returns after the last row, in one transaction: two processes that append at once take turns. When it
   * returns, the rows survive the end of this process.
   *
   * @param keep how many rows stay, the newest; default all
   * @throws {JournalError} also if the path no longer names this file, because rows written to a removed file are lost
   */
  append(make: (last: JournalRow | undefined) => readonly JournalRow[], keep?: number): void;
  last(): JournalRow | undefined;
  /** Returns at most `limit` rows with numbers above `after`, ascending. Throws if a damaged file returns another order. */
  rows(after: number, limit: number): readonly JournalRow[];
  /** Returns at most `limit` rows with numbers below `before`, descending. Throws if a damaged file returns another order. */
  rowsBefore(before: number, limit: number): readonly JournalRow[];
  /** Returns the highest number ever given, even if its row is gone; 0 for none. */
  highest(): number;
  /** Returns a description of the file's damage, if any. */
  damage(): string | undefined;
  close(): void;
}

/** A journal file could not be opened, read or written; `busy` if another process held it. */
export class JournalError extends Error {
  override readonly name = "JournalError";
  readonly busy: boolean;
  constructor(message: string, busy: boolean) {
    super(message);
    this.busy = busy;
  }
}

/** A key pair as DER in hexadecimal: PKCS#8 and SPKI. */
export interface JournalKey {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** Opens journal files (SQLite on Node and Deno). */
export interface Journals {
  /** Opens a journal; `append` creates a missing file with mode 0600. @throws {JournalError} */
  open(path: string, mode: "append" | "read"): JournalFile;
  /** Returns the SHA-256 in hexadecimal over the previous seal (empty for the first row), the number and the text. */
  seal(previous: string, number: number, text: string): string;
  /** Creates an Ed25519 key. */
  newKey(): JournalKey;
  /** Signs a text. @returns the signature in hexadecimal */
  sign(key: JournalKey, text: string): string;
  /** Verifies a signature; false if the key or the signature is malformed. @param publicKey of a `JournalKey` */
  isSigned(publicKey: string, text: string, signature: string): boolean;
}
