/** State of a host that outlives its process, in sealed rows. Types only. */

/** One row without its contents. */
export interface StateRow {
  readonly id: string;
  /** Size of the sealed body; 0 without one. */
  readonly bytes: number;
}

/** A file of rows that one process holds at a time. When a function returns, its change survives the end of this process. */
export interface StateFile {
  rows(): readonly StateRow[];
  /** Returns a row's sealed head. */
  head(id: string): Uint8Array | undefined;
  body(id: string): Uint8Array | undefined;
  /** Adds or replaces a row. */
  put(id: string, head: Uint8Array, body: Uint8Array | undefined): void;
  /**
   * Deletes a row. If that fails, for example because the disk is full, the file is removed with all of its rows: none may come back.
   *
   * @returns why the file was removed; it must not be used any more
   */
  delete(id: string): string | undefined;
  /** Releases the file. Removes it if it has no rows. */
  close(): void;
}

/** The part that keeps sealed bytes from being read. */
export type SealMisfit = "altered" | "project";

export type Unsealed = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly differs: SealMisfit };

/** Opens state files and seals their rows. */
export interface States {
  /** Creates a file with mode 0600 and holds it. */
  create(path: string): StateFile;
  /** Takes over an existing file; undefined if a process holds it. */
  takeOver(path: string): StateFile | undefined;
  /** Returns the key at this path. Creates it with mode 0600 if it is missing. */
  keyAt(path: string): Uint8Array;
  /** Encrypts bytes, bound to the text that says where they belong. */
  seal(key: Uint8Array, bytes: Uint8Array, about: string): Uint8Array;
  /** Returns exactly what `seal` got, for the same key and text. */
  unseal(key: Uint8Array, sealed: Uint8Array, about: string): Unsealed;
}
